import { join } from "node:path";

import { openSandbox, unknown, withLimits, type PaymentProvider, type Sandbox } from "@hostledger/providers";
import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

const limits = { timeLimitMs: 50, concurrency: 8, queue: 100 };
const dayMs = 86_400_000;

let clock: ManualClock;
let sandbox: Sandbox;
let service: AccountServiceFixture;
let temporary: ReturnType<typeof temporaryDirectory>;
/** Specs replace this provider by one with other behaviour. */
let provider: PaymentProvider;
/** Orders that the provider got. */
let orders: string[];

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
  orders = [];
  service = await openAccountService(processOptions());
});
afterEach(async () => {
  await service.close();
  sandbox.close();
  temporary.remove();
});

const processOptions = () => ({ clock, isTimeTrusted: () => true, payments: paymentOptions() });

function paymentOptions() {
  const asked: PaymentProvider = new Proxy(sandbox.payments, {
    get(_target, name) {
      if (name === "order")
        return (order: Parameters<PaymentProvider["order"]>[0]) => {
          orders.push(order.orderId);
          return provider.order(order);
        };
      const member: unknown = Reflect.get(provider, name);
      return member;
    },
  });
  return { provider: asked, returnOrigins: [] };
}

async function customer(of: Pick<AccountServiceFixture, "staff" | "payments" | "accounts"> = service) {
  const { accountId } = await of.staff().openAccount({ name: "Ada", vatExempt: false });
  const caller = { kind: "account", accountId: Number(accountId), keyId: 1 } as const;
  const payments = of.payments(caller);
  return {
    accountId,
    payments,
    methods: async () => (await payments.listMethods({})).methods,
    topups: async () => {
      await settled();
      return (await payments.listTopUps({})).topups;
    },
    autoTopUp: async () => (await payments.getAutoTopUp({})).autoTopup,
    balance: async () => (await of.accounts(caller).getAccount({ accountId })).balanceCents,
    spend: (amountCents: bigint, reference = "spent") =>
      of.staff().adjustBalance({
        accountId,
        amountCents: -amountCents,
        reference,
        reason: "Spent",
        allowDebt: true,
      }),
  };
}

/** A customer with a stored method and 50.00 EUR. @param cents of the payment with which the method is stored */
async function payer(cents = 5_000n) {
  const opened = await customer();
  const paying = { amountCents: cents, method: "card", storeMethod: true };
  await opened.payments.requestTopUp(paying).catch(() => undefined);
  await work();
  const [method] = await opened.methods();
  const methodId = method?.methodId ?? 0n;
  return {
    ...opened,
    methodId,
    turnOn: (amountCents = 5_000n, thresholdCents = 1_000n) =>
      opened.payments.setAutoTopUp({ terms: { thresholdCents, amountCents, methodId } }),
  };
}

async function settled(): Promise<void> {
  await service.projector.after(await service.store.lastPosition());
}

/** Pays as the sandbox's customer, then does all work that is due. */
async function work(advanceMs = 2_000): Promise<void> {
  clock.advance(advanceMs);
  for (let round = 0; round < 4; round += 1) {
    await settled();
    await service.work.runDue();
    clock.advance(2_000);
  }
}

async function eventsOf(category: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { events, caughtUp } of service.store.subscribe({ from: "start" })) {
    types.push(
      ...events
        .filter(({ stream }) => stream.startsWith(`${category}-`))
        .map(({ type }) => type.replace(/\.v\d+$/u, "")),
    );
    if (caughtUp) return types;
  }
  return types;
}

const labelOf = async (): Promise<string> => {
  for await (const { events } of service.store.subscribe({ from: "start" })) {
    const stored = events.find(({ type }) => type === "MethodStored.v1");
    if (stored !== undefined) return stored.data;
  }
  return "";
};

describe("a method that a customer stores", () => {
  it("is listed once it has paid, with its label sealed in the event", async () => {
    const { methods, methodId } = await payer();
    expect(await methods()).toMatchObject([{ methodId, kind: "card", label: "Sandbox …4242" }]);
    expect(await labelOf()).toMatch(/sealed:v2:account-\d+/);
    expect(await labelOf()).not.toContain("4242");
    await work(dayMs);
    expect(await eventsOf("wallet")).toEqual(["MethodStored"]);
  });

  it("is not stored without consent", async () => {
    const { payments, methods } = await customer();
    await payments.requestTopUp({ amountCents: 5_000n, method: "card" });
    await work();
    expect(await methods()).toEqual([]);
    expect(await eventsOf("wallet")).toEqual([]);
  });

  it("is stored once if the answer was lost, and if two processes work at once", async () => {
    const beside = await service.beside(processOptions());
    const opened = await customer();
    const paying = { amountCents: 5_002n, method: "card", storeMethod: true };
    await expect(opened.payments.requestTopUp(paying)).rejects.toThrow(/background/);
    for (let round = 0; round < 5; round += 1) {
      clock.advance(60_000);
      await settled();
      await beside.projector.after(await service.store.lastPosition());
      await Promise.all([service.work.runDue(), beside.work.runDue()]);
    }
    expect(await opened.methods()).toHaveLength(1);
    expect(await eventsOf("wallet")).toEqual(["MethodStored"]);
  });

  it("is deleted, removed at the provider until it agrees, and never charged again", async () => {
    const { payments, methods, methodId, turnOn, spend, autoTopUp } = await payer();
    await turnOn();
    const usual = provider;
    const silent = () => Promise.resolve(unknown("No answer."));
    provider = answering({ removeMethod: silent });
    await payments.withdrawMethod({ methodId });
    expect(await methods()).toEqual([]);
    expect(await autoTopUp()).toMatchObject({ stoppedBecause: "method-withdrawn" });
    await spend(4_500n);
    await work();
    await work(dayMs);
    provider = usual;
    await work(dayMs);
    expect(await eventsOf("wallet")).toEqual([
      "MethodStored",
      "AutoTopUpSet",
      "MethodWithdrawn",
      "AutoTopUpStopped",
      "MethodRemoved",
    ]);
    expect(orders).toHaveLength(1);
    // A repeated deletion does nothing.
    await payments.withdrawMethod({ methodId });
    expect(await eventsOf("wallet")).toHaveLength(5);
  });

  it("of another customer is refused", async () => {
    const { methodId } = await payer();
    const other = await customer();
    await expect(other.payments.withdrawMethod({ methodId })).rejects.toThrow(/unauthorized/i);
    const terms = { thresholdCents: 1_000n, amountCents: 5_000n, methodId };
    await expect(other.payments.setAutoTopUp({ terms })).rejects.toThrow(/method must be a stored/);
    expect(await other.methods()).toEqual([]);
    expect(await eventsOf("wallet")).toEqual(["MethodStored"]);
  });

  it("goes with the account: the consent ends, and the provider removes it", async () => {
    const { accountId, turnOn, spend, topups } = await payer();
    await turnOn();
    await service.staff().eraseAccount({ accountId, force: true });
    await spend(4_900n);
    await work();
    await work(dayMs);
    expect(await eventsOf("wallet")).toEqual([
      "MethodStored",
      "AutoTopUpSet",
      "MethodWithdrawn",
      "AutoTopUpStopped",
      "MethodRemoved",
    ]);
    expect(await topups()).toHaveLength(1);
  });

  it("is refused as the eleventh", async () => {
    const { payments } = await customer();
    for (let count = 0; count < 10; count += 1) {
      await payments.requestTopUp({ amountCents: 100n, method: "card", storeMethod: true });
      await work();
    }
    await expect(
      payments.requestTopUp({ amountCents: 100n, method: "card", storeMethod: true }),
    ).rejects.toThrow(/account stores 10 methods/);
  });
});

describe("an automatic top-up", () => {
  it("is made when the balance falls below the threshold, once in 24 hours", async () => {
    const { turnOn, spend, balance, autoTopUp, topups } = await payer();
    await turnOn();
    await work();
    expect(await topups()).toHaveLength(1);
    await spend(4_500n);
    await work();
    expect(await balance()).toBe(5_500n);
    await spend(5_000n, "spent again");
    for (let hour = 0; hour < 23; hour += 1) await work(3_590_000);
    expect(await balance()).toBe(500n);
    await work(2 * 3_600_000);
    expect(await balance()).toBe(5_500n);
    const [, , last] = await topups();
    expect(last).toMatchObject({ state: "settled", method: "card", amountCents: 5_000n });
    expect(await autoTopUp()).toMatchObject({ lastTopupId: last?.topupId });
  });

  it("is made at once if the balance is already below the threshold", async () => {
    const { turnOn, balance } = await payer(100n);
    await turnOn();
    await work();
    expect(await balance()).toBe(5_100n);
  });

  it("is made once by two processes", async () => {
    const { turnOn, balance } = await payer(100n);
    const beside = await service.beside(processOptions());
    await turnOn();
    for (let round = 0; round < 6; round += 1) {
      await settled();
      await beside.projector.after(await service.store.lastPosition());
      await Promise.all([service.work.runDue(), beside.work.runDue()]);
      clock.advance(2_000);
    }
    expect(await balance()).toBe(5_100n);
    const ordered = (await eventsOf("wallet")).filter((type) => type === "AutoTopUpOrdered");
    expect(ordered).toHaveLength(1);
    expect(new Set(orders).size).toBe(2);
  });

  it.each([
    ["lost", 5_002n],
    ["in limbo", 5_003n],
    ["late", 5_004n],
  ] as const)("whose answer is %s is inquired, and no other is ordered meanwhile", async (_how, amount) => {
    const { turnOn, balance, topups } = await payer(100n);
    await turnOn(amount);
    for (let minute = 0; minute < 10; minute += 1) await work(60_000);
    expect(await balance()).toBe(100n + amount);
    expect(await topups()).toHaveLength(2);
  });

  it("that is declined is tried again the next day", async () => {
    const { turnOn, topups, autoTopUp } = await payer(100n);
    await turnOn(5_001n);
    await work();
    await work(3_600_000);
    expect(await topups()).toMatchObject([{ state: "settled" }, { state: "failed" }]);
    expect(await autoTopUp()).toMatchObject({ terms: { amountCents: 5_001n } });
    await work(dayMs);
    expect(await topups()).toHaveLength(3);
  });

  it("stops when the mandate is revoked, until the customer turns it on again", async () => {
    const { turnOn, topups, autoTopUp } = await payer(100n);
    await turnOn(5_008n);
    await work();
    expect(await topups()).toMatchObject([{ state: "settled" }, { state: "failed" }]);
    const stopped = await autoTopUp();
    expect(stopped).toMatchObject({ stoppedBecause: "mandate-revoked" });
    expect(stopped?.terms).toBeUndefined();
    await work(2 * dayMs);
    expect(await topups()).toHaveLength(2);
    await turnOn(6_000n);
    await work();
    expect(await topups()).toHaveLength(3);
  });

  it("that is ordered but not paid is given up when its method is deleted", async () => {
    const { turnOn, payments, methodId, topups, balance } = await payer(100n);
    await turnOn();
    const silent = () => Promise.resolve(unknown("No answer."));
    const usual = provider;
    provider = answering({ order: silent, inquire: silent });
    await work();
    await payments.withdrawMethod({ methodId });
    provider = usual;
    orders = [];
    for (let hour = 0; hour < 3; hour += 1) await work(3_600_000);
    expect(orders).toEqual([]);
    expect(await topups()).toMatchObject([{ state: "settled" }, { state: "failed" }]);
    expect(await balance()).toBe(100n);
  });

  it("is off by request, and cannot be turned on without a method", async () => {
    const { payments, turnOn, spend, topups } = await payer();
    await turnOn();
    await payments.setAutoTopUp({});
    await spend(4_900n);
    await work();
    expect(await topups()).toHaveLength(1);
    const terms = { thresholdCents: 1_000n, amountCents: 5_000n, methodId: 999n };
    await expect(payments.setAutoTopUp({ terms })).rejects.toThrow(/method must be/);
    await expect(
      payments.setAutoTopUp({ terms: { ...terms, amountCents: 0n, thresholdCents: -1n } }),
    ).rejects.toThrow(/threshold must be/);
  });
});

/** The present provider with other answers to some calls. */
function answering(change: Partial<PaymentProvider>): PaymentProvider {
  return new Proxy(provider, {
    get(target, name): unknown {
      const changed: unknown = Reflect.get(change, name);
      return changed ?? Reflect.get(target, name);
    },
  });
}
