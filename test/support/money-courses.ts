import { accountReference } from "@hostledger/core";
import { camtFile } from "@hostledger/providers/testing";
import type { Timing } from "@hostledger/runtime";
import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";

import type { Instance } from "./instance.ts";
import { itemsOf } from "./matchers.ts";
import { balanceOf } from "./shop.ts";
import type { Customer } from "./staff-client.ts";

/** Courses of money that are repeated after a crash: a payment of a customer, and an import of a bank file. */

/** End of a payment by card. */
export interface PaymentCourse {
  /** Euros: the simulator chooses the fate by the cents. */
  readonly amount: number;
  /** Events of the payment and of the balance in the end, sorted. */
  readonly events: readonly string[];
  readonly state: string;
  readonly balance: string;
}

const once = { "Idempotency-Key": "topup" };

/** Asks for the payment under one key, and waits until it has ended. */
export async function finishPayment(
  customer: Customer,
  { amount, state, balance }: PaymentCourse,
  timing: Timing = realTiming,
): Promise<void> {
  const asked = { amount, method: "card" };
  const { status } = await customer.post("/billing/topups", asked, once);
  if (![201, 422, 502].includes(status)) throw new Error(`the answer is ${String(status)}`);
  await eventually(timing, async () => {
    const topups = itemsOf((await customer.get("/billing/topups")).body);
    const ended = [topups.map((topup) => topup.state), await balanceOf(customer)];
    const wanted = [[state], balance];
    if (JSON.stringify(ended) !== JSON.stringify(wanted)) throw new Error(`it is ${JSON.stringify(ended)}`);
  });
}

/** Returns the events of payments and balances, sorted. A payment that was made before anybody asked again is never open. */
export async function moneyEventsIn(store: EventStore): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    types.push(...events.map(({ type }) => type.replace(/\.v\d+$/u, "")));
    if (caughtUp) break;
  }
  return types
    .filter((type) => /^(?:Payment(?!Opened)|Balance|Receipt|InvoiceIssued)/u.test(type))
    .toSorted();
}

/** Settings of an instance that imports bank files. */
export const bankEnvironment = { HOSTLEDGER_BANK_IBAN: "DE89370400440532013000" };

const [ada, ben] = [1n, 2n];

const file = new TextEncoder().encode(
  camtFile({
    payments: [
      { amount: "10.00", ref: "1", creditorReference: accountReference(1) },
      { amount: "4.00", ref: "2", creditorReference: accountReference(2) },
      { amount: "2.00", ref: "3", text: "no reference" },
      { amount: "-1.00", ref: "4", text: "Fee" },
    ],
  }),
);

/** Imports a file, and waits until the payment that is moved later was credited to the account that it names. */
export async function importFile({ staff }: Pick<Instance, "staff">): Promise<void> {
  await staff.bank.importStatements({ file });
  await eventually(realTiming, async () => {
    const { balanceCents } = await staff.accounts.showAccount({ accountId: ada });
    if (balanceCents !== 1_000n) throw new Error(`the balance is ${String(balanceCents)} cents`);
  });
}

/** Imports a file, matches one payment and moves another, as staff do. Every step may be repeated. */
export async function importPayments({ staff }: Pick<Instance, "staff">): Promise<void> {
  await staff.bank.importStatements({ file });
  await staff.bank.matchBankEntry({ entryId: 3n, accountId: ben });
  await staff.bank.reassignBankEntry({ entryId: 1n, accountId: ben, reason: "It was Ben's" });
}

/** Returns the results of `importPayments`. */
export async function importOutcome({ staff }: Pick<Instance, "staff">): Promise<object> {
  const balance = async (accountId: bigint) => (await staff.accounts.showAccount({ accountId })).balanceCents;
  const { entries } = await staff.bank.listBankEntries({ page: { afterId: 0n, limit: 100 } });
  const { invoices } = await staff.accounts.listAllInvoices({ accountId: ben });
  return {
    balances: [await balance(ada), await balance(ben)],
    entries: entries.map(({ status, accountId }) => [status, accountId]),
    receiptsOfBen: invoices.length,
  };
}

/** The outcome of an import in which each payment was credited once. */
export const expectedImport = {
  balances: [0n, 1_600n],
  entries: [
    ["matched", ben],
    ["matched", ben],
    ["matched", ben],
    ["outgoing", undefined],
  ],
  receiptsOfBen: 3,
};
