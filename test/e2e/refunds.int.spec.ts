import { eventually, virtualClock } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandInProcess, textInProcess, type Answered } from "../support/command-in-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/**
 * Staff refund payments to their source through the sandbox; the cents of the amount make its answers lost, late, or
 * refusals.
 */

const clock = virtualClock();
let shop: Shop;
let store: EventStore;
beforeAll(async () => {
  shop = await openShop({
    clock,
    environment: {
      HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400",
      // Chargebacks come long after the payment was seen and refunded.
      HOSTLEDGER_SANDBOX_LATE_MS: "30000",
    },
    decorate: { store: (opened) => (store = opened) },
  });
});
afterAll(() => shop.close());

const command = (...line: readonly string[]) => commandInProcess(shop.instance, clock, ...line);

/** Returns a customer whose card paid an amount, and the number of the payment. */
async function paidBy(amount: number): Promise<{ readonly customer: Customer; readonly payment: string }> {
  const customer = await shop.customer(0n);
  const { body } = await customer.post("/billing/topups", { amount, method: "card" });
  await waitForBalance(customer, amount.toFixed(2));
  return { customer, payment: String(objectOf(objectOf(body).topup).id) };
}

/** Looks in virtual time, which stands still while a look or a command works: no chargeback comes between the two. */
const waitForBalance = (customer: Customer, balance: string) =>
  eventually(
    clock,
    async () => {
      const found = await balanceOf(customer);
      if (found !== balance) throw new Error(`the balance is ${String(found)}, not ${balance}`);
    },
    { everyMs: 200, limitMs: 600_000 },
  );

interface Order {
  readonly payment: string;
  readonly amount: string;
  readonly reason?: string;
}

function refund(
  { accountId }: Customer,
  { payment, amount, reason = "Sent back" }: Order,
): Promise<Answered> {
  const line = ["--payment", payment, "--amount", amount, "--reason", reason];
  return command("admin", "account", "refund", String(accountId), ...line);
}

/** Returns the events about refunds and the balance that went out, of one account. */
async function movementsOf({ accountId }: Customer): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    for (const { type, data } of events)
      if (/^(?:Refund(?:Ordered|Settled|Refused)|BalancePaidOut|PaidOutReturned|PaymentReturned)/u.test(type))
        if (objectOf(JSON.parse(data)).accountId === accountId) types.push(type.replace(/\.v\d+$/u, ""));
    if (caughtUp) break;
  }
  return types;
}

/** Waits until an account has had these movements. */
const waitForMovements = (customer: Customer, wanted: readonly string[]) =>
  eventually(
    clock,
    async () => {
      const found = await movementsOf(customer);
      if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`there is ${found.join()}`);
    },
    { everyMs: 5_000, limitMs: 600_000 },
  );

const sent = ["BalancePaidOut", "RefundOrdered", "RefundSettled"];
const notSent = ["BalancePaidOut", "RefundOrdered", "RefundRefused", "PaidOutReturned"];

describe("a refund", () => {
  it.each([
    ["is made", "20.00", "settled", sent, "30.00"],
    ["is refused", "20.01", "refused", notSent, "50.00"],
    ["loses its answer", "20.02", "ordered", sent, "29.98"],
    ["is in limbo", "20.03", "ordered", sent, "29.97"],
    ["is late", "20.04", "ordered", sent, "29.96"],
  ] as const)(
    "that %s is paid at most once, and the balance is right in the end",
    async (_what, amount, state, movements, balance) => {
      const { customer, payment } = await paidBy(50);
      const first = await refund(customer, { payment, amount });
      expect(first).toMatchObject({ code: 0, document: { repeated: false } });
      expect([state, "settled"]).toContain(objectOf(first.document).state);
      // Staff without an answer repeat the command at once.
      expect(await refund(customer, { payment, amount })).toMatchObject({
        code: 0,
        document: { refund_id: objectOf(first.document).refund_id, repeated: true },
      });
      await waitForMovements(customer, movements);
      expect(await balanceOf(customer)).toBe(balance);
      expect(await refund(customer, { payment, amount })).toMatchObject({
        code: 0,
        document: { balance, repeated: true },
      });
      expect(await movementsOf(customer)).toEqual(movements);
    },
  );

  it("that comes back from the customer's bank is credited again, and can be ordered again", async () => {
    const { customer, payment } = await paidBy(50);
    expect(await refund(customer, { payment, amount: "20.08" })).toMatchObject({
      code: 0,
      document: { state: "settled", balance: "29.92" },
    });
    await waitForMovements(customer, [...sent, "RefundRefused", "PaidOutReturned"]);
    expect(await balanceOf(customer)).toBe("50.00");
    const again = { payment, amount: "50.00", reason: "Again" };
    expect(await refund(customer, again)).toMatchObject({ code: 0, document: { balance: "0.00" } });
  });

  it("is refused above the payment and above what is left, with nothing debited", async () => {
    const { customer, payment } = await paidBy(50);
    await shop.instance.staff.accounts.topUpAccount({
      accountId: BigInt(customer.accountId),
      amountCents: 10_000n,
      reference: "cash-refunds",
    });
    expect(await refund(customer, { payment, amount: "50.01" })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("50.00 EUR of the payment are left to refund"),
    });
    expect(await refund(customer, { payment, amount: "30.00" })).toMatchObject({ code: 0 });
    const more = { payment, amount: "20.01", reason: "More" };
    expect(await refund(customer, more)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("20.00 EUR of the payment are left to refund"),
    });
    expect(await refund(customer, { ...more, amount: "20.00" })).toMatchObject({
      code: 0,
      document: { balance: "100.00" },
    });
  });

  it("is refused for another customer's payment, a failed one, and a missing one", async () => {
    const { payment } = await paidBy(50);
    const other = await paidBy(50);
    const failing = await shop.customer(0n);
    await failing.post("/billing/topups", { amount: 50.01, method: "card" });
    const [failed] = itemsOf((await failing.get("/billing/topups")).body);
    for (const [customer, asked] of [
      [other.customer, payment],
      [other.customer, "999999"],
      [failing, String(failed?.id)],
    ] as const)
      expect((await refund(customer, { payment: asked, amount: "1.00" })).code).toBe(1);
    expect(await movementsOf(other.customer)).toEqual([]);
    expect(await balanceOf(other.customer)).toBe("50.00");
  });

  it("is refused for wrong amounts, and of money that was spent", async () => {
    const { customer, payment } = await paidBy(50);
    for (const amount of ["0", "-1", "1.001", "1000000000.01", "ten"])
      expect((await refund(customer, { payment, amount })).code).not.toBe(0);
    await customer.post("/domains", { domain: "spent-before-refund.com" });
    expect(await refund(customer, { payment, amount: "45.00" })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/balance/u),
    });
    expect(await movementsOf(customer)).toEqual([]);
  });

  it("ordered by two people at once goes out once", async () => {
    const { customer, payment } = await paidBy(50);
    const order = { payment, amount: "20.00" };
    const answers = await Promise.all([refund(customer, order), refund(customer, order)]);
    expect(answers.map(({ code }) => code)).toEqual([0, 0]);
    await waitForMovements(customer, sent);
    expect(await balanceOf(customer)).toBe("30.00");
  });
});

describe("a chargeback", () => {
  it.each([
    ["takes what a refund left", "20.00", [...sent, "PaymentReturned"]],
    ["waits for a refund whose answer is lost", "20.02", [...sent, "PaymentReturned"]],
    ["takes everything if the refund was refused", "20.01", [...notSent, "PaymentReturned"]],
  ] as const)("%s", async (_what, amount, movements) => {
    const { customer, payment } = await paidBy(50.07);
    expect(await refund(customer, { payment, amount })).toMatchObject({ code: 0 });
    await waitForMovements(customer, movements);
    await waitForBalance(customer, "0.00");
    const after = { payment, amount: "1.00", reason: "After the chargeback" };
    expect((await refund(customer, after)).code).toBe(1);
    expect(await movementsOf(customer)).toEqual(movements);
  });

  it("before its refund comes back leaves the customer the amount of the refund, and no more", async () => {
    const { customer, payment } = await paidBy(50.07);
    expect(await refund(customer, { payment, amount: "20.08" })).toMatchObject({ code: 0 });
    await eventually(
      clock,
      async () => {
        const found = (await movementsOf(customer)).toSorted().join();
        const wanted = [...sent, "PaymentReturned", "RefundRefused", "PaidOutReturned"].toSorted().join();
        if (found !== wanted) throw new Error(`there is ${found}`);
      },
      { everyMs: 5_000, limitMs: 600_000 },
    );
    await waitForBalance(customer, "20.08");
  });

  it("of a payment that was refunded in full debits nothing", async () => {
    const { customer, payment } = await paidBy(50.07);
    expect(await refund(customer, { payment, amount: "50.07" })).toMatchObject({ code: 0 });
    await waitForMovements(customer, [...sent, "PaymentReturned"]);
    expect(await balanceOf(customer)).toBe("0.00");
    // The customer loses nothing, and so reads nothing.
    expect(itemsOf((await customer.get("/tickets")).body)).toEqual([]);
  });
});

it("the books agree with the payment provider in the end", async () => {
  await eventually(
    clock,
    async () => {
      const { stdout } = await textInProcess(shop.instance, clock, "audit", "verify", "--live");
      expect(stdout).toMatch(/^Verified [1-9]\d* events /mu);
      expect(stdout).not.toMatch(/^(?:balances|documents|payments): /mu);
    },
    { everyMs: 1_000 },
  );
});
