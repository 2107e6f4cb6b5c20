import { ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { regionLimits } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { cents, demoPrices, demoReference, type DemoProgress } from "./demo-progress.ts";

/** Result of `start --demo`. */
export interface Demo {
  readonly apiKey: string;
  readonly accountId: number;
  readonly serverIds: readonly number[];
  /** Why it has fewer servers than two: a sentence for each. Absent where none is missing. */
  readonly missing?: readonly string[];
}

/** Regions of the demo's servers if the compute provider accepts any region. */
const demoRegions = ["fra", "ams"];
const locations: Readonly<Record<string, string>> = { fra: "Frankfurt", ams: "Amsterdam" };

/** Regions of a provider that the demo sells in. */
const mostRegions = 10;

interface DemoStart {
  readonly progress: DemoProgress;
  /** Regions that the compute provider has; absent where it takes any. */
  readonly regions?: readonly string[];
}

/** Returns true if all of a demo exists, except perhaps somebody who has its key. */
export function isWholeDemo(
  { prices, isPaid, plans, stock, servers, hasTicket }: DemoProgress,
  regions?: readonly string[],
): boolean {
  const sold = soldRegions(regions);
  return (
    prices.size >= Object.keys(demoPrices).length &&
    isPaid &&
    stock.size >= plans.size * sold.length &&
    (servers.size >= 2 || sold.length === 0) &&
    hasTicket
  );
}

function soldRegions(regions: readonly string[] = demoRegions): readonly string[] {
  return regions.filter((code) => code.length <= regionLimits.code).slice(0, mostRegions);
}

/** Terms of a plan; the price of a month is in cents (EUR), VAT included. */
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

/** A complete profile, so that the demo can order at every registry. */
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
export async function openDemo(staff: Transport, { progress, regions }: DemoStart): Promise<Demo> {
  await setPrices(staff, progress);
  const { accountId, apiKey } = await openAccount(staff, progress);
  const { serverIds, missing } = await openServers(staff, accountId, {
    progress,
    regions: soldRegions(regions),
  });
  if (!progress.hasTicket) await openTicket(staff, accountId, serverIds[0]);
  return {
    apiKey,
    accountId: Number(accountId),
    serverIds: serverIds.map(Number),
    ...(missing.length > 0 && { missing }),
  };
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
  // An unchanged profile adds no event.
  await accounts.setProfile({ accountId, changes: demoProfile });
  // The same reference twice credits once.
  await accounts.topUpAccount({ accountId, amountCents: cents(openingBalance), reference: demoReference });
  const { apiKey } = await accounts.issueApiKey({ accountId });
  return { accountId, apiKey };
}

/**
 * Puts the plans on offer in the provider's regions, and gives the customer two servers without charge: one that may not turn its
 * firewall off, and one that may. What the provider does not set up is missing; the demo is opened without it.
 * @returns their ids in this order.
 */
async function openServers(
  staff: Transport,
  accountId: bigint,
  { progress, regions }: Required<DemoStart>,
): Promise<{ readonly serverIds: readonly bigint[]; readonly missing: readonly string[] }> {
  const servers = createClient(admin.ServerAdminService, staff);
  const serverIds: bigint[] = [];
  const missing: string[] = [];
  const plan = async (title: string, terms: PlanTerms): Promise<bigint> =>
    known(progress.plans, title) ?? (await servers.addPlan({ title, ...terms })).planId;
  const region = async (code: string, location: string): Promise<bigint> =>
    known(progress.regions, code) ?? (await servers.addRegion({ code, location })).regionId;
  const gift = async (title: string, terms: GiftTerms): Promise<void> => {
    try {
      serverIds.push(
        known(progress.servers, title) ??
          (await servers.provisionServer({ accountId, months: 1, ...terms })).serverId,
      );
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      missing.push(`The demo's server of the plan ${title} is missing: ${error.rawMessage}`);
    }
  };

  const small = await plan("Small", { cores: 2, memoryGb: 4, storageGb: 80, priceCents: cents("9.99") });
  const medium = await plan("Medium", { cores: 4, memoryGb: 8, storageGb: 160, priceCents: cents("19.99") });
  const large = await plan("Large", { cores: 8, memoryGb: 16, storageGb: 320, priceCents: cents("39.99") });
  const regionIds: bigint[] = [];
  for (const code of regions) regionIds.push(await region(code, locations[code] ?? code));
  for (const planId of [small, medium, large])
    for (const regionId of regionIds)
      if (!progress.stock.has(`${String(planId)}-${String(regionId)}`))
        await servers.setStock({ planId, regionId, units: unitsInStock });
  const [first, second = first] = regionIds;
  if (first === undefined || second === undefined)
    return { serverIds, missing: ["The demo has no servers: the compute provider has no region."] };
  await gift("Small", { planId: small, regionId: first, whitelisted: false });
  await gift("Medium", { planId: medium, regionId: second, whitelisted: true });
  return { serverIds, missing };
}

function known(ids: ReadonlyMap<string, number>, name: string): bigint | undefined {
  const id = ids.get(name);
  return id === undefined ? undefined : BigInt(id);
}

async function openTicket(staff: Transport, accountId: bigint, serverId: bigint | undefined): Promise<void> {
  const support = createClient(admin.SupportAdminService, staff);
  const about = serverId === undefined ? "This is a ticket." : "This is a ticket about your first server.";
  await support.openTicketFor({
    accountId,
    ...defined({ serverId }),
    title: "Welcome to Hostledger",
    message: `${about} Reply to it, or close it.`,
    priority: "normal",
  });
}
