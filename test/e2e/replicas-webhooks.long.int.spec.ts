import { openEventStoreDb } from "@hostledger/esdb";
import { startStripeServer, type SignedEvent, type StripeServer } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { property, readEvents } from "../support/books.ts";
import type { Instance } from "../support/instance.ts";
import { openLatePayers, postWebhook, stripeEnvironment, type LatePayer } from "../support/late-payers.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { startSharedPlace, type SharedPlace } from "../support/shared-place.ts";

/** Two whole instances on one event store and one PostgreSQL get webhooks of Stripe at the same instant and in any order. */

let postgres: PostgresServer;
let stripe: StripeServer;
let place: SharedPlace;
let replicas: readonly [Instance, Instance];
beforeAll(async () => {
  postgres = await startPostgresServer();
  stripe = await startStripeServer({ nowMs: () => Date.now() });
  place = await startSharedPlace(postgres);
  const environment = { ...stripeEnvironment(stripe), HOSTLEDGER_PROVIDER_TIMEOUT_MS: "3000" };
  replicas = [await place.replica({ environment }), await place.replica({ environment })];
});
afterAll(async () => {
  await place.close();
  await stripe.close();
  await postgres.stop();
  expect(stripe.undocumented).toEqual([]);
});

/** Posts webhooks to both replicas at the same instant. */
async function postToBoth(...webhooks: readonly SignedEvent[]): Promise<void> {
  const answers = await Promise.all(
    replicas.flatMap(({ baseUrl }) => webhooks.map((webhook) => postWebhook(baseUrl, webhook))),
  );
  // A webhook that finds the payment in hand may be refused: Stripe repeats it.
  expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual(
    [],
  );
}

const hasBalance = (payers: readonly LatePayer[], balance: string) =>
  eventually(
    realTiming,
    async () => {
      for (const { customer } of payers)
        expect(objectOf((await customer.get("/billing/balance")).body).balance).toBe(balance);
    },
    { limitMs: 30_000 },
  );

/** Returns the types of the events of an account and its payment that are about money, in order. */
async function moneyOf({ customer: { accountId }, orderId }: LatePayer): Promise<readonly string[]> {
  const store = await openEventStoreDb({ connectionString: place.environment.HOSTLEDGER_EVENT_STORE ?? "" });
  try {
    return (await readEvents(store))
      .filter(({ stream }) => stream === orderId || stream === `account-${String(accountId)}`)
      .map(({ type, data }) =>
        type === "BalanceAdjusted" ? `${type} ${String(property(data, "kind"))}` : type,
      )
      .filter((type) => /^(?:Balance|PaidOut|Payment|Refund)/u.test(type));
  } finally {
    await store.close();
  }
}

const late = ["PaymentRequested", "PaymentOpened", "PaymentFailed"];

async function onePayer(): Promise<LatePayer> {
  const [payer] = await openLatePayers(replicas[0], stripe, 1);
  if (payer === undefined) throw new Error("nobody pays");
  return payer;
}

describe("two replicas", () => {
  it("that get the same webhooks at the same instant make one credit of each payment", async () => {
    const payers = await openLatePayers(replicas[0], stripe, 12);
    await Promise.all(
      payers.map(({ webhook }) => {
        const once = webhook();
        return postToBoth(once, once, webhook());
      }),
    );
    await hasBalance(payers, "50.00");
    for (const payer of payers) {
      expect(await moneyOf(payer)).toEqual(expect.arrayContaining([...late, "PaymentSettled"]));
      expect((await moneyOf(payer)).filter((type) => type === "PaymentSettled")).toHaveLength(1);
      expect((await moneyOf(payer)).filter((type) => type === "BalanceCredited")).toHaveLength(1);
      expect(itemsOf((await payer.customer.get("/billing/invoices")).body)).toHaveLength(1);
    }
  });

  it("that get the webhook of a chargeback before the payment was settled credit and debit it once", async () => {
    const payer = await onePayer();
    stripe.account.chargeBack(payer.orderId);
    const dispute = () =>
      stripe.event("charge.dispute.created", stripe.account.objectOf("dispute", payer.orderId));
    await Promise.all([postToBoth(dispute()), postToBoth(payer.webhook()), postToBoth(dispute())]);
    await eventually(
      realTiming,
      async () => {
        expect((await moneyOf(payer)).toSorted()).toEqual(
          [
            ...late,
            "PaymentSettled",
            "PaymentReturned",
            "BalanceCredited",
            "BalanceAdjusted top-up-reversed",
          ].toSorted(),
        );
      },
      { limitMs: 30_000 },
    );
    await hasBalance([payer], "0.00");
    await postToBoth(payer.webhook(), dispute());
    expect(await moneyOf(payer)).toHaveLength(7);
  });

  it.each(["no-answer", "cut-after"] as const)(
    "that get the webhook of a refund before the refund's answer (%s) send the money back once",
    async (fault) => {
      const payer = await onePayer();
      await postToBoth(payer.webhook());
      await hasBalance([payer], "50.00");
      const [topup] = itemsOf((await payer.customer.get("/billing/topups")).body);
      stripe.fail(/^POST \/v1\/refunds$/, fault);
      const ordered = replicas[0].staff.accounts.refundPayment({
        accountId: BigInt(payer.customer.accountId),
        paymentId: BigInt(Number(topup?.id)),
        amountCents: 2_000n,
        reason: "Not needed",
      });
      await eventually(
        realTiming,
        () => {
          expect(stripe.account.countsOf(payer.orderId).refunds).toBe(1);
          return Promise.resolve();
        },
        { limitMs: 30_000 },
      );
      const updated = () => stripe.event("refund.updated", stripe.account.objectOf("refund", payer.orderId));
      await postToBoth(updated(), updated());
      expect(await ordered).toMatchObject({ balanceCents: 3_000n, repeated: false });
      await eventually(
        realTiming,
        async () => {
          expect((await moneyOf(payer)).slice(-1)).toEqual(["RefundSettled"]);
        },
        { limitMs: 30_000 },
      );
      await postToBoth(updated());
      const types = await moneyOf(payer);
      expect(types.filter((type) => type.startsWith("Refund"))).toEqual(["RefundOrdered", "RefundSettled"]);
      expect(types.filter((type) => type === "BalancePaidOut")).toHaveLength(1);
      expect(stripe.account.countsOf(payer.orderId)).toMatchObject({ paid: 1, refunds: 1 });
      await hasBalance([payer], "30.00");
    },
  );
});
