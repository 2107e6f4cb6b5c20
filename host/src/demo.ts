import { createClient, type Transport } from "@connectrpc/connect";
import { parseEuros } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import { staffHeaders } from "@hostledger/rpc";

/** What `start --demo` opened. */
export interface Demo {
  readonly apiKey: string;
  readonly accountId: number;
  readonly serverIds: readonly number[];
}

/** Net prices in euros: registration, renewal, transfer. */
const priceList: Readonly<Record<string, readonly [string, string, string]>> = {
  com: ["10.00", "12.00", "10.00"],
  de: ["6.00", "6.00", "0.00"],
  net: ["12.00", "13.00", "12.00"],
  org: ["11.00", "13.00", "11.00"],
  eu: ["7.00", "8.00", "7.00"],
  io: ["39.00", "45.00", "39.00"],
};

/** What a plan consists of; the price of a month is in cents (EUR), VAT included. */
interface PlanTerms {
  readonly cores: number;
  readonly memoryGb: number;
  readonly storageGb: number;
  readonly priceCents: bigint;
}

/** Units of each plan in each region. */
const unitsInStock = 10;

const openingBalance = "500.00";

/** The staff RPC, and the headers that every call of it carries. */
interface Staff {
  readonly transport: Transport;
  readonly options: { readonly headers: Headers };
}

/** Fills an empty store as operator.md describes, through the same staff RPC that the CLI uses. */
export async function openDemo(transport: Transport, credential: string): Promise<Demo> {
  const staff: Staff = { transport, options: { headers: staffHeaders(credential) } };
  await setPrices(staff);
  const { accountId, apiKey } = await openAccount(staff);
  const serverIds = await openServers(staff, accountId);
  await openTicket(staff, accountId, serverIds[0]);
  return { apiKey, accountId: Number(accountId), serverIds: serverIds.map(Number) };
}

async function setPrices({ transport, options }: Staff): Promise<void> {
  const domains = createClient(admin.DomainAdminService, transport);
  for (const [tld, [registration, renewal, transfer]] of Object.entries(priceList)) {
    await domains.setPrice(
      {
        tld,
        registrationCents: cents(registration),
        renewalCents: cents(renewal),
        transferCents: cents(transfer),
        active: true,
      },
      options,
    );
  }
}

async function openAccount({ transport, options }: Staff): Promise<{ accountId: bigint; apiKey: string }> {
  const accounts = createClient(admin.AccountAdminService, transport);
  const { accountId } = await accounts.openAccount({ name: "Demo customer", vatExempt: false }, options);
  await accounts.topUpAccount(
    { accountId, amountCents: cents(openingBalance), reference: "demo-opening-balance" },
    options,
  );
  const { apiKey } = await accounts.issueApiKey({ accountId }, options);
  return { accountId, apiKey };
}

/**
 * Puts the plans on offer and gives the customer two servers without charge: one that may not turn its firewall off, and
 * one that may.
 * @returns their ids in this order.
 */
async function openServers(
  { transport, options }: Staff,
  accountId: bigint,
): Promise<readonly [bigint, bigint]> {
  const servers = createClient(admin.ServerAdminService, transport);
  const plan = async (title: string, terms: PlanTerms): Promise<bigint> =>
    (await servers.addPlan({ title, ...terms }, options)).planId;
  const region = async (code: string, location: string): Promise<bigint> =>
    (await servers.addRegion({ code, location }, options)).regionId;
  const gift = async (planId: bigint, regionId: bigint, whitelisted: boolean): Promise<bigint> => {
    const terms = { accountId, planId, regionId, months: 1, whitelisted };
    return (await servers.provisionServer(terms, options)).serverId;
  };

  const small = await plan("Small", { cores: 2, memoryGb: 4, storageGb: 80, priceCents: cents("9.99") });
  const medium = await plan("Medium", { cores: 4, memoryGb: 8, storageGb: 160, priceCents: cents("19.99") });
  const large = await plan("Large", { cores: 8, memoryGb: 16, storageGb: 320, priceCents: cents("39.99") });
  const frankfurt = await region("fra", "Frankfurt");
  const amsterdam = await region("ams", "Amsterdam");
  for (const planId of [small, medium, large])
    for (const regionId of [frankfurt, amsterdam])
      await servers.setStock({ planId, regionId, units: unitsInStock }, options);
  return [await gift(small, frankfurt, false), await gift(medium, amsterdam, true)];
}

async function openTicket({ transport, options }: Staff, accountId: bigint, serverId: bigint): Promise<void> {
  const support = createClient(admin.SupportAdminService, transport);
  await support.openTicketFor(
    {
      accountId,
      serverId,
      title: "Welcome to Hostledger",
      message: "This is a ticket about your first server. Reply to it, or close it.",
      priority: "normal",
    },
    options,
  );
}

function cents(euros: string): bigint {
  const amount = parseEuros(euros);
  if (!amount.ok) throw new Error(`the demo's amount ${euros} ${amount.error}`);
  return amount.value;
}
