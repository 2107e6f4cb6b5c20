import { join } from "node:path";

import { openSandbox, unknown, withLimits, type PaymentProvider, type Sandbox } from "@hostledger/providers";
import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

const limits = { timeLimitMs: 50, concurrency: 8, queue: 100 };
const origin = "https://hosting.example";

let clock: ManualClock;
let sandbox: Sandbox;
let service: AccountServiceFixture;
let temporary: ReturnType<typeof temporaryDirectory>;
/** Specs replace this provider by one with other behaviour. */
let provider: PaymentProvider;

beforeEach(async () => {
  temporary = temporaryDirectory();
  clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  sandbox = openSandbox({
    path: join(temporary.path, "sandbox.sqlite"),
    clock,
    latencyMs: 0,
    limboMs: 60_000,
  });
  provider = withLimits(sandbox.payments, limits);
  service = await openAccountService({ clock, payments: paymentOptions(), isTimeTrusted: () => true });
});
afterEach(async () => {
  await service.close();
  sandbox.close();
  temporary.remove();
});

const paymentOptions = () => ({
  provider: {
    name: "sandbox",
    methods: ["card"],
    order: (...asked: Parameters<PaymentProvider["order"]>) => provider.order(...asked),
    inquire: (...asked: Parameters<PaymentProvider["inquire"]>) => provider.inquire(...asked),
    removeMethod: (methodId: string) => provider.removeMethod(methodId),
    refund: (...asked: Parameters<PaymentProvider["refund"]>) => provider.refund(...asked),
    inquireRefund: (...asked: Parameters<PaymentProvider["inquireRefund"]>) =>
      provider.inquireRefund(...asked),
    listMovements: (...asked: Parameters<PaymentProvider["listMovements"]>) =>
      provider.listMovements(...asked),
  },
  returnOrigins: [origin],
});

async function customer(of: Pick<AccountServiceFixture, "staff" | "payments" | "accounts"> = service) {
  const { accountId } = await of.staff().openAccount({ name: "Ada", vatExempt: false });
  const caller = { kind: "account", accountId: Number(accountId), keyId: 1 } as const;
  const payments = of.payments(caller);
  return {
    accountId,
    payments,
    pay: (amountCents: bigint, returnUrl = "") =>
      payments.requestTopUp({ amountCents, method: "card", returnUrl }),
    topups: async () => {
      await settled();
      return (await payments.listTopUps({})).topups;
    },
    balance: async () => (await of.accounts(caller).getAccount({ accountId })).balanceCents,
    invoices: async () => (await of.accounts(caller).listInvoices({ accountId })).invoices,
  };
}

async function settled(): Promise<void> {
  await service.projector.after(await service.store.lastPosition());
}

/** Pays as the sandbox's customer, then does all work that is due. */
async function work(): Promise<void> {
  clock.advance(2_000);
  for (let round = 0; round < 3; round += 1) {
    await settled();
    await service.work.runDue();
  }
}

async function eventsOf(category: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { events, caughtUp } of service.store.subscribe({ from: "start" })) {
    types.push(...events.filter(({ stream }) => stream.startsWith(`${category}-`)).map(({ type }) => type));
    if (caughtUp) return types;
  }
  return types;
}

describe("a payment by a customer", () => {
  it("is ordered, settled, and credited once under the provider's reference", async () => {
    const { accountId, pay, topups, balance, invoices } = await customer();
    const { topup } = await pay(5_000n, `${origin}/billing?from=topup`);
    expect(topup).toMatchObject({
      method: "card",
      amountCents: 5_000n,
      state: "pending",
      redirectUrl: `${origin}/billing?from=topup`,
    });
    await work();
    expect(await balance()).toBe(5_000n);
    const [paid, ...others] = await topups();
    expect(others).toEqual([]);
    expect(paid).toMatchObject({ topupId: topup?.topupId, state: "settled", paidCents: 5_000n });
    const reference = paid?.reference ?? "";
    expect(reference).toMatch(/^sandbox-payment-[a-z][a-z0-9]{5}-./);
    expect(await invoices()).toMatchObject([{ action: "topup", grossCents: 5_000n }]);
    // If staff enter the same payment, nothing is credited.
    await service.staff().topUpAccount({ accountId, amountCents: 5_000n, reference });
    for (let day = 0; day < 3; day += 1) {
      clock.advance(86_400_000);
      await work();
    }
    expect(await balance()).toBe(5_000n);
    expect(await eventsOf("payment")).toEqual([
      "PaymentRequested.v2",
      "PaymentOpened.v1",
      "PaymentSettled.v1",
    ]);
  });

  it("cannot be credited to another account by typing its reference there", async () => {
    const { pay, topups } = await customer();
    const other = await customer();
    await pay(5_000n);
    await work();
    const [paid] = await topups();
    await expect(
      service.staff().topUpAccount({
        accountId: other.accountId,
        amountCents: 5_000n,
        reference: paid?.reference ?? "",
      }),
    ).rejects.toThrow(/reference/);
    expect(await other.balance()).toBe(0n);
  });

  it("that is declined credits nothing, and shows the reason", async () => {
    const { pay, topups, balance } = await customer();
    await pay(5_001n);
    await work();
    expect(await topups()).toMatchObject([{ state: "failed", failure: expect.stringMatching(/declines/) }]);
    expect(await balance()).toBe(0n);
  });

  it("whose mandate was revoked is refused at once", async () => {
    const { pay, topups } = await customer();
    await expect(pay(5_008n)).rejects.toThrow(/refused the payment/);
    expect(await topups()).toMatchObject([{ state: "failed" }]);
  });

  it.each([
    ["in part", 5_005n, 2_503n],
    ["twice", 5_006n, 10_012n],
  ] as const)("that is paid %s credits the amount received", async (_how, asked, paid) => {
    const { pay, topups, balance } = await customer();
    await pay(asked);
    await work();
    expect(await topups()).toMatchObject([{ state: "settled", amountCents: asked, paidCents: paid }]);
    expect(await balance()).toBe(paid);
  });

  it.each([
    ["lost", 5_002n],
    ["in limbo", 5_003n],
    ["late", 5_004n],
  ] as const)("whose answer is %s is inquired, and credited once", async (_how, amountCents) => {
    const { pay, topups, balance } = await customer();
    await expect(pay(amountCents)).rejects.toThrow(/continues in the background/);
    expect(await topups()).toMatchObject([{ state: "pending" }]);
    for (let minute = 0; minute < 10; minute += 1) {
      clock.advance(60_000);
      await work();
    }
    expect(await topups()).toMatchObject([{ state: "settled", paidCents: amountCents }]);
    expect(await balance()).toBe(amountCents);
    const events = await eventsOf("payment");
    expect(events.filter((type) => type === "PaymentSettled.v1")).toHaveLength(1);
  });

  it("that is charged back is debited, also into debt, and its receipt is cancelled", async () => {
    const { accountId, pay, topups, balance } = await customer();
    await pay(5_007n);
    await work();
    expect(await balance()).toBe(5_007n);
    await service.staff().adjustBalance({
      accountId,
      amountCents: -5_000n,
      reference: "spent",
      reason: "Spent",
      allowDebt: false,
    });
    clock.advance(60_000);
    await work();
    expect(await topups()).toMatchObject([{ state: "returned", failure: expect.any(String) }]);
    expect(await balance()).toBe(-5_000n);
    clock.advance(86_400_000);
    await work();
    expect(await balance()).toBe(-5_000n);
    const events = await eventsOf("account");
    expect(events.filter((type) => type.startsWith("ReceiptCancelled."))).toHaveLength(1);
  });

  it("is not lost while the provider does not answer", async () => {
    const { pay, balance } = await customer();
    await pay(5_000n);
    const answering = provider;
    const silent = () => Promise.resolve(unknown("No answer."));
    provider = { ...answering, order: silent, inquire: silent };
    for (let hour = 0; hour < 5; hour += 1) {
      clock.advance(3_600_000);
      await work();
    }
    expect(await balance()).toBe(0n);
    provider = withLimits(sandbox.payments, limits);
    clock.advance(86_400_000);
    await work();
    expect(await balance()).toBe(5_000n);
  });

  it("that its provider never ends expires after 60 days, and is not inquired any more", async () => {
    const { pay, topups, balance } = await customer();
    let questions = 0;
    provider = {
      ...provider,
      name: "slow",
      methods: ["card"],
      order: () => Promise.resolve({ outcome: "pending", redirectUrl: "" }),
      inquire: () => {
        questions += 1;
        return Promise.resolve({ outcome: "done", value: { state: "pending", redirectUrl: "" } });
      },
    };
    await pay(5_000n);
    clock.advance(59 * 86_400_000);
    await work();
    expect(await topups()).toMatchObject([{ state: "pending" }]);
    clock.advance(86_400_000);
    await work();
    expect(await topups()).toMatchObject([
      { state: "failed", failure: "The payment was not made within 60 days." },
    ]);
    const asked = questions;
    clock.advance(30 * 86_400_000);
    await work();
    expect([asked > 0, questions, await balance()]).toEqual([true, asked, 0n]);
  });

  it("is made once if its request runs again under the same operation", async () => {
    const { payments, topups, balance } = await customer();
    const run = { headers: { "hostledger-operation-id": "operation-of-a-dead-process" } };
    const again = () => payments.requestTopUp({ amountCents: 5_000n, method: "card" }, run);
    const [first, second] = await Promise.all([again(), again()]);
    expect(second.topup?.topupId).toBe(first.topup?.topupId);
    await work();
    expect((await again()).topup).toMatchObject({ topupId: first.topup?.topupId, state: "settled" });
    await work();
    expect(await topups()).toHaveLength(1);
    expect(await balance()).toBe(5_000n);
  });

  it("is credited once if two processes work on it at once", async () => {
    const beside = await service.beside({ clock, payments: paymentOptions() });
    const { pay, balance } = await customer();
    await pay(5_000n);
    await settled();
    await beside.projector.after(await service.store.lastPosition());
    await Promise.all([service.work.runDue(), beside.work.runDue()]);
    await Promise.all([service.work.runDue(), beside.work.runDue()]);
    await work();
    expect(await balance()).toBe(5_000n);
    expect((await eventsOf("account")).filter((type) => type === "BalanceCredited.v1")).toHaveLength(1);
  });
});

describe("a request to pay", () => {
  it.each([
    ["an amount of zero", { amountCents: 0n }, /amount must be 1\.00 to 10000\.00 euros/],
    ["a negative amount", { amountCents: -5_000n }, /amount must be/],
    ["an amount above the limit", { amountCents: 1_000_001n }, /amount must be/],
    ["an unknown method", { method: "cheque" }, /method must be card/],
    ["no method", { method: "" }, /method must be card/],
    [
      "another site",
      { returnUrl: "https://evil.example/" },
      /return_url must be a page of https:\/\/hosting/,
    ],
    ["a site that looks alike", { returnUrl: "https://hosting.example.evil.example/" }, /return_url/],
    ["a user in the address", { returnUrl: "https://hosting.example@evil.example/" }, /return_url/],
    ["a user of the site", { returnUrl: "https://eve@hosting.example/" }, /return_url/],
    ["another port", { returnUrl: "https://hosting.example:444/" }, /return_url/],
    ["clear text", { returnUrl: "http://hosting.example/" }, /return_url/],
    ["a script", { returnUrl: "javascript:alert(1)" }, /return_url/],
    ["a path without a site", { returnUrl: "//evil.example" }, /return_url/],
    ["a long address", { returnUrl: `${origin}/${"a".repeat(2_048)}` }, /2048 characters/],
  ])("with %s is refused, and stores nothing", async (_what, change, sentence) => {
    const { payments } = await customer();
    const asked = { amountCents: 5_000n, method: "card", returnUrl: "", ...change };
    await expect(payments.requestTopUp(asked)).rejects.toThrow(sentence);
    expect(await eventsOf("payment")).toEqual([]);
  });

  it("is refused without a payment provider", async () => {
    const without = await service.beside({ clock });
    const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
    const payments = without.payments({ kind: "account", accountId: Number(accountId), keyId: 1 });
    await expect(
      payments.requestTopUp({ amountCents: 5_000n, method: "card", returnUrl: "" }),
    ).rejects.toThrow(/takes no payments/);
  });

  it("does not show the payments of others", async () => {
    const { pay } = await customer();
    const { topup } = await pay(5_000n);
    const other = await customer();
    await settled();
    await expect(other.payments.getTopUp({ topupId: topup?.topupId ?? 0n })).rejects.toThrow(/unauthorized/);
    expect(await other.topups()).toEqual([]);
    await expect(other.payments.getTopUp({ topupId: 999n })).rejects.toThrow(/no such payment/i);
  });
});
