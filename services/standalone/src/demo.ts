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

const openingBalance = "500.00";

/** Fills an empty store as operator.md describes, through the same staff RPC that the CLI uses. */
export async function openDemo(staff: Transport, credential: string): Promise<Demo> {
  const accounts = createClient(admin.AccountAdminService, staff);
  const domains = createClient(admin.DomainAdminService, staff);
  const options = { headers: staffHeaders(credential) };
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
  const { accountId } = await accounts.openAccount({ name: "Demo customer", vatExempt: false }, options);
  await accounts.topUpAccount(
    { accountId, amountCents: cents(openingBalance), reference: "demo-opening-balance" },
    options,
  );
  const { apiKey } = await accounts.issueApiKey({ accountId }, options);
  return { apiKey, accountId: Number(accountId), serverIds: [] };
}

function cents(euros: string): bigint {
  const amount = parseEuros(euros);
  if (!amount.ok) throw new Error(`the demo's amount ${euros} ${amount.error}`);
  return amount.value;
}
