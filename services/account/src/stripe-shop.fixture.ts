import { StripeNotices, StripePayments, withLimits } from "@hostledger/providers";
import { startStripeServer, type SignedEvent, type StripeServer } from "@hostledger/providers/testing";
import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { expect } from "vitest";

import { openAccountService, type AccountServiceFixture } from "./account-service.fixture.ts";
import type { PaymentOptions } from "./dependencies.ts";

/** What a spec needs of a process with the account service. */
export type AccountProcess = Pick<AccountServiceFixture, "paymentNotices" | "projector" | "work">;

/** An account service whose customers pay through a server of Stripe's API. */
export interface StripeShop {
  readonly clock: ManualClock;
  readonly stripe: StripeServer;
  readonly service: AccountServiceFixture;
  /** Options of a process that takes payments through Stripe. */
  paymentOptions(): PaymentOptions;
  /** Posts a webhook to a process. Default: the first. */
  post(event: SignedEvent, to?: AccountProcess): Promise<{ readonly ignoredBecause: string }>;
  /** Does what is due in these processes, three rounds of it. Default: the first process. */
  runDue(...processes: readonly AccountProcess[]): Promise<void>;
  /** Opens an account, and requests a payment by card of 50.00 EUR. */
  payer(): Promise<StripePayer>;
  /** Counts events of a type, in all versions. */
  countOf(type: string): Promise<number>;
  /** Returns the causes of all tickets for staff. */
  causes(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A customer with one payment. */
export interface StripePayer {
  readonly accountId: number;
  /** Name of the payment's stream, which is its order id at Stripe. */
  readonly orderId: string;
  balance(): Promise<bigint>;
  /** State of the payment as the customer sees it. */
  state(): Promise<string>;
  /** Returns a signed webhook about the payment. Default: its page is completed. */
  event(type?: string, kind?: "session" | "charge" | "dispute" | "refund"): SignedEvent;
}

/** Opens the service and the server; close both at the end. @param options of the first process */
export async function openStripeShop(
  options: Parameters<typeof openAccountService>[0] = {},
): Promise<StripeShop> {
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const stripe = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
  const paymentOptions = (): PaymentOptions => {
    const { url, secretKey, webhookSecret } = stripe;
    const access = { url, secretKey, clock, timeLimitMs: 2_000 };
    const provider = new StripePayments({ ...access, homeUrl: "https://hosting.example/" });
    return {
      provider: withLimits(provider, { timeLimitMs: 5_000, concurrency: 8, queue: 100 }),
      returnOrigins: ["https://hosting.example"],
      notices: new StripeNotices({ ...access, webhookSecret }),
    };
  };
  const service = await openAccountService({ clock, payments: paymentOptions(), ...options }, true);
  const eventsOf = async () => {
    const all: { readonly stream: string; readonly type: string }[] = [];
    for await (const { events, caughtUp } of service.store.subscribe({ from: "start" })) {
      all.push(...events);
      if (caughtUp) break;
    }
    return all;
  };
  return {
    clock,
    stripe,
    service,
    paymentOptions,
    post: ({ body, signature }, to = service) =>
      to.paymentNotices().receivePaymentNotice({ provider: "stripe", body: Buffer.from(body), signature }),
    async runDue(...processes) {
      const all = processes.length === 0 ? [service] : processes;
      for (let round = 0; round < 3; round += 1) {
        for (const { projector } of all) await projector.after(await service.store.lastPosition());
        await Promise.all(all.map(({ work }) => work.runDue()));
      }
      for (const { projector } of all) await projector.after(await service.store.lastPosition());
    },
    async payer() {
      const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
      const caller = { kind: "account", accountId: Number(accountId), keyId: 1 } as const;
      const before = new Set((await eventsOf()).map(({ stream }) => stream));
      const { topup } = await service.payments(caller).requestTopUp({ amountCents: 5_000n, method: "card" });
      const made = (await eventsOf()).find(
        ({ stream }) => stream.startsWith("payment-") && !before.has(stream),
      );
      if (made === undefined || topup === undefined) throw new Error("there is no payment");
      const { stream: orderId } = made;
      return {
        accountId: Number(accountId),
        orderId,
        balance: async () => (await service.accounts(caller).getAccount({ accountId })).balanceCents,
        state: async () =>
          (await service.payments(caller).getTopUp({ topupId: topup.topupId })).topup?.state ?? "absent",
        event: (type = "checkout.session.completed", kind = "session") =>
          stripe.event(type, stripe.account.objectOf(kind, orderId)),
      };
    },
    countOf: async (type) =>
      (await eventsOf()).filter((event) => event.type.replace(/\.v\d+$/, "") === type).length,
    causes: async () =>
      (await eventsOf()).map(({ stream }) => stream).filter((stream) => stream.startsWith("ticketcause-")),
    async close() {
      await service.close();
      await stripe.close();
      expect(stripe.undocumented).toEqual([]);
    },
  };
}
