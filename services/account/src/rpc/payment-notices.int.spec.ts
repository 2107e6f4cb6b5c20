import { StripeNotices, StripePayments, withLimits } from "@hostledger/providers";
import { startStripeServer, type SignedEvent, type StripeServer } from "@hostledger/providers/testing";
import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

const day = 86_400_000;
let clock: ManualClock;
let stripe: StripeServer;
let service: AccountServiceFixture;

beforeEach(async () => {
  clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  stripe = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
  service = await openAccountService({ clock, payments: paymentOptions() }, true);
});
afterEach(async () => {
  await service.close();
  await stripe.close();
  expect(stripe.undocumented).toEqual([]);
});

function paymentOptions() {
  const { url, secretKey, webhookSecret } = stripe;
  const access = { url, secretKey, clock, timeLimitMs: 2_000 };
  const provider = new StripePayments({ ...access, homeUrl: "https://hosting.example/" });
  return {
    provider: withLimits(provider, { timeLimitMs: 5_000, concurrency: 8, queue: 100 }),
    returnOrigins: ["https://hosting.example"],
    notices: new StripeNotices({ ...access, webhookSecret }),
  };
}

type Process = Pick<AccountServiceFixture, "paymentNotices" | "projector" | "work">;

const post = ({ body, signature }: SignedEvent, to: Process = service) =>
  to.paymentNotices().receivePaymentNotice({ provider: "stripe", body: Buffer.from(body), signature });

async function runDue(...processes: readonly Process[]): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (const { projector } of processes) await projector.after(await service.store.lastPosition());
    await Promise.all(processes.map(({ work }) => work.runDue()));
  }
}

async function payer() {
  const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
  const caller = { kind: "account", accountId: Number(accountId), keyId: 1 } as const;
  await service.payments(caller).requestTopUp({ amountCents: 5_000n, method: "card" });
  const orderId = await orderOf();
  return {
    orderId,
    balance: async () => (await service.accounts(caller).getAccount({ accountId })).balanceCents,
    event: (type = "checkout.session.completed", kind: "session" | "charge" | "dispute" = "session") =>
      stripe.event(type, stripe.account.objectOf(kind, orderId)),
  };
}

/** The stream of the only payment. */
async function orderOf(): Promise<string> {
  for await (const { events, caughtUp } of service.store.subscribe({ from: "start" })) {
    const found = events.find(({ stream }) => stream.startsWith("payment-"));
    if (found !== undefined) return found.stream;
    if (caughtUp) break;
  }
  throw new Error("there is no payment");
}

async function countOf(type: string): Promise<number> {
  let count = 0;
  for await (const { events, caughtUp } of service.store.subscribe({ from: "start" })) {
    count += events.filter((event) => event.type.startsWith(`${type}.`)).length;
    if (caughtUp) return count;
  }
  return count;
}

describe("a webhook of Stripe", () => {
  it("has the payment credited at once, and once, however often and in whatever order events come", async () => {
    const { orderId, balance, event } = await payer();
    // The next question would come in hours.
    clock.advance(day / 2);
    await runDue(service);
    stripe.account.pay(orderId);
    await runDue(service);
    expect(await balance()).toBe(0n);
    const charged = event("charge.succeeded", "charge");
    const completed = event();
    for (const one of [charged, completed, charged, completed])
      expect(await post(one)).toMatchObject({ ignoredBecause: "" });
    await runDue(service);
    expect(await balance()).toBe(5_000n);
    await post(completed);
    await runDue(service);
    expect(await balance()).toBe(5_000n);
    expect(await countOf("BalanceCredited")).toBe(1);
  });

  it("that comes to two processes at once makes one credit", async () => {
    const beside = await service.beside({ clock, payments: paymentOptions() });
    const { orderId, balance, event } = await payer();
    await runDue(service, beside);
    clock.advance(day / 2);
    await runDue(service, beside);
    stripe.account.pay(orderId);
    const completed = event();
    await Promise.all([post(completed), post(completed, beside)]);
    await runDue(service, beside);
    expect(await balance()).toBe(5_000n);
    expect(await countOf("BalanceCredited")).toBe(1);
    expect(await countOf("PaymentSettled")).toBe(1);
  });

  it("that is lost, or a day late, changes nothing: the next question finds the payment", async () => {
    const { orderId, balance, event } = await payer();
    await runDue(service);
    stripe.account.pay(orderId);
    clock.advance(day);
    await runDue(service);
    expect(await balance()).toBe(5_000n);
    expect(await post(event())).toMatchObject({ ignoredBecause: "" });
    await runDue(service);
    expect(await balance()).toBe(5_000n);
  });

  it("about a chargeback debits the account, also into debt, once", async () => {
    const { orderId, balance, event } = await payer();
    stripe.account.pay(orderId);
    clock.advance(10_000);
    await runDue(service);
    expect(await balance()).toBe(5_000n);
    stripe.account.chargeBack(orderId);
    const dispute = event("charge.dispute.created", "dispute");
    for (let times = 0; times < 2; times += 1) {
      await post(dispute);
      await runDue(service);
    }
    expect(await balance()).toBe(0n);
    expect(await countOf("PaymentReturned")).toBe(1);
  });

  it("about a payment of another system on the same account at Stripe is ignored", async () => {
    const foreign = { object: "charge", id: "ch_1", transfer_group: "order-of-a-shop" };
    const unknown = { object: "charge", id: "ch_2", transfer_group: "payment-aaaaaa-unknown" };
    for (const object of [foreign, unknown, { object: "balance" }])
      expect(await post(stripe.event("charge.succeeded", object))).toMatchObject({
        ignoredBecause: expect.stringMatching(/^The event is about /),
      });
    expect(await countOf("PaymentSettled")).toBe(0);
  });

  it("is refused with a wrong signature, an old one, of another account, or where none are configured", async () => {
    const { orderId, balance, event } = await payer();
    const { body, signature } = event();
    await expect(post({ body: `${body} `, signature })).rejects.toThrow(/signature/);
    await expect(post(stripe.sign(body, clock.epochMilliseconds() - 301_000))).rejects.toThrow(
      /five minutes/,
    );
    const other = stripe.account.objectOf("session", orderId);
    await expect(
      post(stripe.event("checkout.session.completed", other, { account: "acct_other" })),
    ).rejects.toThrow(/another account/);
    const without = await service.beside({ clock });
    await expect(post(event(), without)).rejects.toThrow(/No webhooks/);
    expect(await balance()).toBe(0n);
  });
});
