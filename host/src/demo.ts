import { createClient, type Transport } from "@connectrpc/connect";
import { admin } from "@hostledger/protocol";

import { cents, demoPrices, demoReference, type DemoProgress } from "./demo-progress.ts";

/** What `start --demo` opened. */
export interface Demo {
  readonly apiKey: string;
  readonly accountId: number;
  readonly serverIds: readonly number[];
}

/** True when nothing of it is missing but, perhaps, somebody who knows its key. */
export function isWholeDemo({ prices, isPaid, plans, stock, servers, hasTicket }: DemoProgress): boolean {
  return (
    prices.size >= Object.keys(demoPrices).length &&
    isPaid &&
    stock.size >= plans.size * 2 &&
    servers.size >= 2 &&
    hasTicket
  );
}

/** What a plan consists of; the price of a month is in cents (EUR), VAT included. */
interface PlanTerms {
  readonly cores: number;
  readonly memoryGb: number;
  readonly storageGb: number;
  readonly priceCents: bigint;
}

interface GiftTerms {
  readonly planId: bigint;
  readonly regionId: bigint;
  readonly whitelisted: boolean;
}

/** Units of each plan in each region. */
const unitsInStock = 10;

/** Whoever tries the demo may order whatever a registry wants to know of its customers. */
const demoProfile = {
  kind: "organisation",
  name: "Demo customer",
  organisation: "Demo GmbH",
  street: "Musterstraße 1",
  city: "Berlin",
  postalCode: "10115",
  country: "DE",
  email: "demo@example.com",
  phone: "+493012345678",
};

const openingBalance = "500.00";

/**
 * Fills a store as operator.md describes, through the same staff RPC that the CLI uses: with all that `progress` has not
 * got yet. What an earlier start has begun is gone on with, under a new key, since nobody was shown the earlier one.
 */
export async function openDemo(staff: Transport, progress: DemoProgress): Promise<Demo> {
  await setPrices(staff, progress);
  const { accountId, apiKey } = await openAccount(staff, progress);
  const serverIds = await openServers(staff, accountId, progress);
  if (!progress.hasTicket) await openTicket(staff, accountId, serverIds[0]);
  return { apiKey, accountId: Number(accountId), serverIds: serverIds.map(Number) };
}

async function setPrices(staff: Transport, { prices }: DemoProgress): Promise<void> {
  const domains = createClient(admin.DomainAdminService, staff);
  for (const [tld, [registration, renewal, transfer]] of Object.entries(demoPrices)) {
    if (prices.has(tld)) continue;
    await domains.setPrice({
      tld,
      registrationCents: cents(registration),
      renewalCents: cents(renewal),
      transferCents: cents(transfer),
      active: true,
    });
  }
}

async function openAccount(
  staff: Transport,
  { accountId: known }: DemoProgress,
): Promise<{ accountId: bigint; apiKey: string }> {
  const accounts = createClient(admin.AccountAdminService, staff);
  const { accountId } =
    known === undefined
      ? await accounts.openAccount({ name: "Demo customer", vatExempt: false })
      : { accountId: BigInt(known) };
  // What is known already is no fact a second time.
  await accounts.setProfile({ accountId, changes: demoProfile });
  // The same reference twice credits once.
  await accounts.topUpAccount({ accountId, amountCents: cents(openingBalance), reference: demoReference });
  const { apiKey } = await accounts.issueApiKey({ accountId });
  return { accountId, apiKey };
}

/**
 * Puts the plans on offer and gives the customer two servers without charge: one that may not turn its firewall off, and
 * one that may.
 * @returns their ids in this order.
 */
async function openServers(
  staff: Transport,
  accountId: bigint,
  progress: DemoProgress,
): Promise<readonly [bigint, bigint]> {
  const servers = createClient(admin.ServerAdminService, staff);
  const plan = async (title: string, terms: PlanTerms): Promise<bigint> =>
    known(progress.plans, title) ?? (await servers.addPlan({ title, ...terms })).planId;
  const region = async (code: string, location: string): Promise<bigint> =>
    known(progress.regions, code) ?? (await servers.addRegion({ code, location })).regionId;
  const gift = async (title: string, terms: GiftTerms): Promise<bigint> =>
    known(progress.servers, title) ??
    (await servers.provisionServer({ accountId, months: 1, ...terms })).serverId;

  const small = await plan("Small", { cores: 2, memoryGb: 4, storageGb: 80, priceCents: cents("9.99") });
  const medium = await plan("Medium", { cores: 4, memoryGb: 8, storageGb: 160, priceCents: cents("19.99") });
  const large = await plan("Large", { cores: 8, memoryGb: 16, storageGb: 320, priceCents: cents("39.99") });
  const frankfurt = await region("fra", "Frankfurt");
  const amsterdam = await region("ams", "Amsterdam");
  for (const planId of [small, medium, large])
    for (const regionId of [frankfurt, amsterdam])
      if (!progress.stock.has(`${String(planId)}-${String(regionId)}`))
        await servers.setStock({ planId, regionId, units: unitsInStock });
  return [
    await gift("Small", { planId: small, regionId: frankfurt, whitelisted: false }),
    await gift("Medium", { planId: medium, regionId: amsterdam, whitelisted: true }),
  ];
}

function known(ids: ReadonlyMap<string, number>, name: string): bigint | undefined {
  const id = ids.get(name);
  return id === undefined ? undefined : BigInt(id);
}

async function openTicket(staff: Transport, accountId: bigint, serverId: bigint): Promise<void> {
  const support = createClient(admin.SupportAdminService, staff);
  await support.openTicketFor({
    accountId,
    serverId,
    title: "Welcome to Hostledger",
    message: "This is a ticket about your first server. Reply to it, or close it.",
    priority: "normal",
  });
}
