import { accountReference } from "@hostledger/core";
import { camtFile, type GivenPayment } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { describe, expect, it } from "vitest";

import { startInstance, type Instance, type InstanceOptions } from "../support/instance.ts";
import { itemsOf } from "../support/matchers.ts";
import { finishPayment } from "../support/money-courses.ts";
import { photographing, type Photo } from "../support/photographing.ts";
import { balanceOf } from "../support/shop.ts";
import { customerAt, openCustomer, type Customer } from "../support/staff-client.ts";

/**
 * A power cut before and after each append of a refund and of a payout. Each copy of the data is started, and staff
 * repeat their steps: the money goes out once, and money that did not arrive is credited again once.
 */

const clock = virtualClock();
const environment = {
  HOSTLEDGER_PROVIDER_TIMEOUT_MS: "300",
  HOSTLEDGER_BANK_IBAN: "DE89370400440532013000",
};
const open = (options: InstanceOptions) => startInstance({ environment, clock, ...options });
const isPhotographed = (type: string) =>
  /^(?:Refund|BalancePaidOut|PaidOutReturned|Payout|BankEntryBooked|StatementImported)/u.test(type);

async function movementsIn(store: EventStore | undefined): Promise<readonly string[]> {
  const types: string[] = [];
  if (store === undefined) return types;
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    types.push(...events.map(({ type }) => type.replace(/\.v\d+$/u, "")));
    if (caughtUp) break;
  }
  return types
    .filter((type) => /^(?:Refund(?:Ordered|Settled|Refused)|BalancePaidOut|PaidOut|Payout)/u.test(type))
    .toSorted();
}

interface Course {
  /** Brings the money in, before photos are taken. */
  readonly begin: (instance: Instance, customer: Customer) => Promise<void>;
  /** Steps of staff; each may be repeated. */
  readonly finish: (instance: Instance, customer: Customer) => Promise<void>;
  readonly events: readonly string[];
  readonly balance: string;
}

/** Plays the course, cuts the power at each append, and repeats the course on each copy. */
async function play({ begin, finish, events, balance }: Course): Promise<void> {
  const { path, remove } = temporaryDirectory();
  const photos: Photo[] = [];
  const prepared = await open({ data: path });
  const customer = await openCustomer(prepared.staff, prepared.baseUrl);
  await begin(prepared, customer);
  await prepared.close();
  const ended = (instance: Instance, store: () => EventStore | undefined, moment: string) =>
    eventually(realTiming, async () => {
      const found = [await movementsIn(store()), await balanceOf(customerAt(instance.baseUrl, customer))];
      expect([moment, ...found]).toEqual([moment, events.toSorted(), balance]);
    });
  const run = async (data: string, moment: string, decorate?: (store: EventStore) => EventStore) => {
    let store: EventStore | undefined;
    const instance = await open({
      data,
      decorate: { store: (opened) => (store = decorate?.(opened) ?? opened) },
    });
    try {
      await finish(instance, customer);
      await ended(instance, () => store, moment);
    } finally {
      await instance.close();
    }
  };
  await run(path, "without a power cut", photographing(path, photos, isPhotographed));
  remove();
  expect(photos.length).toBeGreaterThan(5);
  for (const { moment, data, remove: removeCopy } of photos) {
    await run(data, moment);
    removeCopy();
  }
}

const refunded = ["BalancePaidOut", "RefundOrdered", "RefundSettled"];
const notRefunded = ["BalancePaidOut", "RefundOrdered", "RefundRefused", "PaidOutReturned"];

describe("wherever the power fails, a refund", () => {
  it.each([
    ["is made once", 2_000n, refunded, "30.00"],
    ["whose answer is lost is made once", 2_002n, refunded, "29.98"],
    ["that is late is made once", 2_004n, refunded, "29.96"],
    ["that is refused is credited again once", 2_001n, notRefunded, "50.00"],
  ] as const)("%s", async (_what, amountCents, events, balance) => {
    await play({
      events,
      balance,
      begin: (_instance, customer) =>
        finishPayment(customer, { amount: 50, state: "settled", balance: "50.00", events: [] }),
      async finish({ staff, baseUrl }, customer) {
        const [payment] = itemsOf((await customerAt(baseUrl, customer).get("/billing/topups")).body);
        const accountId = BigInt(customer.accountId);
        const order = { accountId, paymentId: BigInt(Number(payment?.id)), amountCents, reason: "Sent back" };
        await staff.accounts.refundPayment(order);
      },
    });
  });
});

describe("wherever the power fails, a payout", () => {
  it.each([
    ["is in one file, and paid once", false, ["PayoutPaid"], "30.00"],
    [
      "that the bank returns is credited again once",
      true,
      ["PayoutPaid", "PayoutReturned", "PaidOutReturned"],
      "50.00",
    ],
  ] as const)("%s", async (_what, isReturned, events, balance) => {
    const iban = "NL91ABNA0417164300";
    const importOf = async ({ staff }: Instance, id: string, payment: GivenPayment) => {
      const file = camtFile({ id, payments: [{ ...payment, ref: id, iban }] });
      await staff.bank.importStatements({ file: new TextEncoder().encode(file) });
    };
    await play({
      events: ["BalancePaidOut", "PayoutQueued", "PayoutFileMade", ...events],
      balance,
      async begin(instance, customer) {
        const creditorReference = accountReference(customer.accountId);
        await importOf(instance, "in", { amount: "50.00", creditorReference });
        await eventually(realTiming, async () => {
          expect(await balanceOf(customer)).toBe("50.00");
        });
      },
      async finish(instance, { accountId: id }) {
        const { accounts, bank } = instance.staff;
        const order = { accountId: BigInt(id), amountCents: 2_000n, iban, reason: "Contract ended" };
        const { reference: endToEndId } = await accounts.payOut(order);
        await bank.makePayoutFile({});
        await importOf(instance, "out", { amount: "-20.00", endToEndId });
        if (isReturned) await importOf(instance, "back", { amount: "20.00", endToEndId, returnCode: "AC04" });
      },
    });
  });
});
