import { accountReference } from "@hostledger/core";
import { camtFile, type GivenPayment } from "@hostledger/providers/testing";
import { realTiming, type Timing } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";

import type { Instance } from "./instance.ts";
import { itemsOf } from "./matchers.ts";
import { finishPayment } from "./money-courses.ts";
import { customerAt, type Customer } from "./staff-client.ts";

/** Courses of money that goes out and are repeated after a crash: refunds, payouts, and an erasure that pays the balance out. */

/** Settings of an instance that sends money out. */
export const moneyOutEnvironment = {
  HOSTLEDGER_PROVIDER_TIMEOUT_MS: "300",
  HOSTLEDGER_BANK_IBAN: "DE89370400440532013000",
};

/** A customer before an instance is there. */
export type KnownCustomer = Pick<Customer, "accountId" | "apiKey">;

export interface MoneyOutCourse {
  /** Brings 50.00 EUR in. */
  readonly begin: (instance: Instance, customer: KnownCustomer) => Promise<void>;
  /** Steps of staff and the bank. Every step may be repeated. */
  readonly finish: (instance: Instance, customer: KnownCustomer) => Promise<void>;
  /** Events of money that goes out in the end. */
  readonly events: readonly string[];
  /** Balance in the end, in cents (EUR). */
  readonly balanceCents: bigint;
}

const customersIban = "NL91ABNA0417164300";

/** Returns a refund of a payment by card of 50.00 EUR. @param amountCents the simulator chooses the fate by the cents */
function refund(amountCents: bigint, isRefused = false): MoneyOutCourse {
  return {
    begin: ({ baseUrl }, customer) =>
      finishPayment(customerAt(baseUrl, customer), {
        amount: 50,
        state: "settled",
        balance: "50.00",
        events: [],
      }),
    async finish({ staff, baseUrl }, customer) {
      const [payment] = itemsOf((await customerAt(baseUrl, customer).get("/billing/topups")).body);
      const accountId = BigInt(customer.accountId);
      const order = { accountId, paymentId: BigInt(Number(payment?.id)), amountCents, reason: "Sent back" };
      await staff.accounts.refundPayment(order);
    },
    events: [
      "BalancePaidOut",
      "RefundOrdered",
      ...(isRefused ? ["RefundRefused", "PaidOutReturned"] : ["RefundSettled"]),
    ],
    balanceCents: isRefused ? 5_000n : 5_000n - amountCents,
  };
}

/** Returns a payout of 20.00 EUR that the bank books. @param isReturned true if the bank returns it next */
function payout(isReturned: boolean): MoneyOutCourse {
  return {
    begin: payIn,
    async finish(instance, { accountId }) {
      const { accounts, bank } = instance.staff;
      const order = { accountId: BigInt(accountId), amountCents: 2_000n, iban: customersIban };
      const { reference: endToEndId } = await accounts.payOut({ ...order, reason: "Contract ended" });
      await bank.makePayoutFile({});
      await importEntry(instance, "out", { amount: "-20.00", endToEndId });
      if (isReturned)
        await importEntry(instance, "back", { amount: "20.00", endToEndId, returnCode: "AC04" });
    },
    events: [
      "BalancePaidOut",
      "PayoutQueued",
      "PayoutFileMade",
      "PayoutPaid",
      ...(isReturned ? ["PayoutReturned", "PaidOutReturned"] : []),
    ],
    balanceCents: isReturned ? 5_000n : 3_000n,
  };
}

/** An erasure that pays the balance out, in a file for the bank. */
const settlement: MoneyOutCourse = {
  begin: payIn,
  async finish({ staff }, { accountId }) {
    await staff.accounts.eraseAccount({ accountId: BigInt(accountId), settle: true });
    await staff.bank.makePayoutFile({});
  },
  events: ["BalancePaidOut", "PayoutQueued", "PersonalDataErased", "PayoutFileMade"],
  balanceCents: 0n,
};

export const moneyOutCourses = {
  "refund-made": refund(2_000n),
  "refund-refused": refund(2_001n, true),
  "refund-lost": refund(2_002n),
  "refund-late": refund(2_004n),
  "payout-paid": payout(false),
  "payout-returned": payout(true),
  settlement,
} as const satisfies Readonly<Record<string, MoneyOutCourse>>;

export type MoneyOutCourseName = keyof typeof moneyOutCourses;

/** @throws Error if there is no such course */
export function moneyOutCourse(name: string): MoneyOutCourse {
  const found = Object.entries(moneyOutCourses).find(([known]) => known === name);
  if (found === undefined) throw new Error(`there is no course ${name}`);
  return found[1];
}

async function payIn(instance: Instance, { accountId }: KnownCustomer): Promise<void> {
  await importEntry(instance, "in", { amount: "50.00", creditorReference: accountReference(accountId) });
  await eventually(realTiming, async () => {
    const cents = await balanceOf(instance, accountId);
    if (cents !== 5_000n) throw new Error(`the balance is ${String(cents)} cents`);
  });
}

async function importEntry({ staff }: Instance, id: string, payment: GivenPayment): Promise<void> {
  const file = camtFile({ kind: "054", id, payments: [{ ...payment, ref: id, iban: customersIban }] });
  await staff.bank.importStatements({ file: new TextEncoder().encode(file) });
}

async function balanceOf({ staff }: Instance, accountId: number): Promise<bigint> {
  return (await staff.accounts.showAccount({ accountId: BigInt(accountId) })).balanceCents;
}

/** Waits until a course has ended as it would without a crash. @throws Error otherwise, with the differing outcome */
export async function awaitMoneyOut(
  instance: Instance,
  store: () => EventStore | undefined,
  { accountId }: KnownCustomer,
  { events, balanceCents }: MoneyOutCourse,
  timing: Timing = realTiming,
): Promise<void> {
  const wanted = [events.toSorted().join(), balanceCents];
  await eventually(timing, async () => {
    const found = [(await moneyOutIn(store())).join(), await balanceOf(instance, accountId)];
    if (found.some((one, index) => one !== wanted[index]))
      throw new Error(`there is ${found.map(String).join(", ")}, not ${wanted.map(String).join(", ")}`);
  });
}

/** Returns the events of money that goes out, sorted. */
async function moneyOutIn(store: EventStore | undefined): Promise<readonly string[]> {
  const types: string[] = [];
  if (store === undefined) return types;
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    types.push(...events.map(({ type }) => type.replace(/\.v\d+$/u, "")));
    if (caughtUp) break;
  }
  const isOut = /^(?:Refund(?:Ordered|Settled|Refused)|BalancePaidOut|PaidOut|Payout|PersonalDataErased)/u;
  return types.filter((type) => isOut.test(type)).toSorted();
}
