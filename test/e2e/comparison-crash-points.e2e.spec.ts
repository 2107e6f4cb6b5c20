import { startStripeServer, type StripeServer } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startInstance, type InstanceOptions } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { photographing, type Photo } from "../support/photographing.ts";
import { balanceOf } from "../support/shop.ts";
import { customerAt, openCustomer } from "../support/staff-client.ts";

/**
 * A power cut before and after each append of a daily comparison that finds a payment whose webhook was lost, and money without a payment of
 * ours. The data of each moment is copied, and an instance is started on the copy: nothing is credited or reported twice.
 */

const clock = virtualClock();
const dayMs = 86_400_000;
let stripe: StripeServer;
beforeAll(async () => {
  stripe = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
});
afterAll(async () => {
  await stripe.close();
  expect(stripe.undocumented).toEqual([]);
});

/** @param everyHours hours between comparisons; 0 for none */
const open = (everyHours: number, options: InstanceOptions) =>
  startInstance({
    clock,
    environment: {
      HOSTLEDGER_RECONCILE_HOURS: String(everyHours),
      HOSTLEDGER_PAYMENTS: "stripe",
      HOSTLEDGER_STRIPE_URL: stripe.url.origin,
      HOSTLEDGER_STRIPE_SECRET_KEY: stripe.secretKey,
    },
    ...options,
  });

const followed = /^(?:PaymentSettled|BalanceCredited|CriticalDifferencesChanged|StaffTicket|BooksCompared)/u;
const expected = [
  "BalanceCredited",
  "BooksCompared",
  "CriticalDifferencesChanged",
  "PaymentSettled",
  "StaffTicketOpened",
  "StaffTicketRequested",
];

/** Types of the events of payments and their comparison, sorted. */
async function eventsIn(store: EventStore | undefined): Promise<readonly string[]> {
  const types: string[] = [];
  if (store === undefined) return types;
  for await (const { events, caughtUp } of store.subscribe({ from: "start" })) {
    for (const { stream, type } of events)
      if (!/^comparison-(?:domains|servers)$/u.test(stream)) types.push(type.replace(/\.v\d+$/u, ""));
    if (caughtUp) break;
  }
  return types.filter((type) => followed.test(type)).toSorted();
}

it("wherever the power fails, a daily comparison credits and reports once", async () => {
  const { path, remove } = temporaryDirectory();
  const prepared = await open(0, { data: path });
  const customer = await openCustomer(prepared.staff, prepared.baseUrl);
  const { body } = await customer.post("/billing/topups", {
    amount: 50,
    method: "card",
    return_url: "https://hosting.example/billing",
  });
  const orderId = stripe.account.orderOfPage(String(objectOf(objectOf(body).topup).redirect_url));
  clock.advance(2 * dayMs);
  await eventually(realTiming, async () => {
    const [topup] = itemsOf((await customer.get("/billing/topups")).body);
    expect(topup).toMatchObject({ state: "failed" });
  });
  await prepared.close();
  stripe.account.payLate(orderId);
  stripe.account.chargeElsewhere(1_200);
  clock.advance(dayMs / 12);

  const photos: Photo[] = [];
  const compare = async (data: string, moment: string, decorate?: (store: EventStore) => EventStore) => {
    let store: EventStore | undefined;
    const instance = await open(24, {
      data,
      decorate: { store: (opened) => (store = decorate?.(opened) ?? opened) },
    });
    try {
      await eventually(realTiming, async () => {
        // Comparisons begin ten minutes after a start.
        clock.advance(60_000);
        const balance = await balanceOf(customerAt(instance.baseUrl, customer));
        expect([moment, await eventsIn(store), balance]).toEqual([moment, expected, "50.00"]);
      });
    } finally {
      await instance.close();
    }
  };
  const isPhotographed = (type: string) => followed.test(type) || type === "ReferenceTaken";
  await compare(path, "without a power cut", photographing(path, photos, isPhotographed));
  remove();
  expect(photos.length).toBeGreaterThan(8);
  for (const { moment, data, remove: removeCopy } of photos) {
    await compare(data, moment);
    removeCopy();
  }
});
