import { readFileSync } from "node:fs";
import { join } from "node:path";

import { startStripeServer, type SignedEvent, type StripeServer } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually, temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandInProcess, textInProcess } from "../support/command-in-process.ts";
import { stripeEnvironment } from "../support/late-payers.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/**
 * Webhooks of Stripe that are duplicated, reordered, late by a day, or lost. Nothing is credited twice or lost: where the engine asks no
 * more, the daily comparison finds the payment.
 */

const clock = virtualClock();
const dayMs = 86_400_000;
const files = temporaryDirectory();
let stripe: StripeServer;
let shop: Shop;
let store: EventStore;
beforeAll(async () => {
  stripe = await startStripeServer({ nowMs: () => clock.epochMilliseconds() });
  shop = await openShop({
    clock,
    decorate: { store: (opened) => (store = opened) },
    environment: stripeEnvironment(stripe),
  });
});
afterAll(async () => {
  await shop.close();
  await stripe.close();
  files.remove();
  expect(stripe.undocumented).toEqual([]);
});

const soon = (look: () => Promise<void>) => eventually(realTiming, look);

/** A customer who asked for a payment of 50.00 EUR. */
async function payer() {
  const customer = await shop.customer(0n);
  const asked = { amount: 50, method: "card", return_url: "https://hosting.example/billing" };
  const { status, body } = await customer.post("/billing/topups", asked);
  expect(status).toBe(201);
  const orderId = stripe.account.orderOfPage(String(objectOf(objectOf(body).topup).redirect_url));
  return { customer, orderId };
}
type Payer = Awaited<ReturnType<typeof payer>>;

const stateOf = async ({ customer }: Payer) =>
  itemsOf((await customer.get("/billing/topups")).body).map(({ state }) => state)[0];
const has = ({ customer }: { readonly customer: Customer }, balance: string) =>
  soon(async () => {
    expect(await balanceOf(customer)).toBe(balance);
  });

/** A customer whose page expired, so that the payment failed and nobody asks about it. */
async function failedPayer(): Promise<Payer> {
  const one = await payer();
  clock.advance(2 * dayMs);
  await soon(async () => {
    expect(await stateOf(one)).toBe("failed");
  });
  return one;
}

async function post({ body, signature }: SignedEvent): Promise<void> {
  const answer = await fetch(new URL("/payments/stripe", shop.instance.baseUrl), {
    method: "POST",
    headers: { "Content-Type": "application/json", "Stripe-Signature": signature },
    body,
  });
  expect(answer.status).toBe(200);
}
const charged = ({ orderId }: Payer) =>
  stripe.event("charge.succeeded", stripe.account.objectOf("charge", orderId));
const disputed = ({ orderId }: Payer) =>
  stripe.event("charge.dispute.created", stripe.account.objectOf("dispute", orderId));

/** Results of the comparisons of payments so far. */
async function comparisons(): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { type, data } of store.read("comparison-payments"))
    if (type.startsWith("BooksCompared")) found.push(JSON.parse(data));
  return found;
}

/** Waits for the next daily comparison. */
async function nextComparison(): Promise<void> {
  const before = (await comparisons()).length;
  clock.advance(dayMs);
  await soon(async () => {
    expect((await comparisons()).length).toBeGreaterThan(before);
  });
}

async function creditsOf({ customer }: Payer): Promise<number> {
  let credits = 0;
  for await (const { type } of store.read(`account-${String(customer.accountId)}`))
    if (type.startsWith("BalanceCredited")) credits += 1;
  return credits;
}

describe("a webhook of the payment provider", () => {
  it("that is duplicated and reordered credits and debits once", async () => {
    const one = await payer();
    stripe.account.pay(one.orderId);
    const paid = charged(one);
    await Promise.all([post(paid), post(paid), post(charged(one))]);
    await has(one, "50.00");
    stripe.account.chargeBack(one.orderId);
    // The dispute comes before the payment that it is about.
    await post(disputed(one));
    await Promise.all([post(charged(one)), post(disputed(one))]);
    await has(one, "0.00");
    expect([await creditsOf(one), await stateOf(one)]).toEqual([1, "returned"]);
  });

  it("that is late by a day credits a payment that failed meanwhile, once", async () => {
    const one = await failedPayer();
    stripe.account.payLate(one.orderId);
    clock.advance(dayMs);
    await post(charged(one));
    await post(charged(one));
    await has(one, "50.00");
    await nextComparison();
    expect([await creditsOf(one), await stateOf(one)]).toEqual([1, "settled"]);
  });

  it("that is lost, as all are, loses nothing: the daily comparison finds the payment, and credits it once", async () => {
    const one = await failedPayer();
    stripe.account.payLate(one.orderId);
    await nextComparison();
    await has(one, "50.00");
    expect(await stateOf(one)).toBe("settled");
    await nextComparison();
    expect([await creditsOf(one), await balanceOf(one.customer)]).toEqual([1, "50.00"]);
    expect((await comparisons()).at(-1)).toMatchObject({ critical: 0, unanswered: 0 });
  });

  it("about a chargeback after the engine's last question is lost, and the comparison debits the payment", async () => {
    const one = await payer();
    stripe.account.pay(one.orderId);
    await has(one, "50.00");
    clock.advance(130 * dayMs);
    await clock.sleep(5_000);
    stripe.account.chargeBack(one.orderId);
    await nextComparison();
    await has(one, "0.00");
    expect(await stateOf(one)).toBe("returned");
  });

  it("that is lost about money without a payment of ours opens one ticket for staff, not one a day", async () => {
    const { id } = stripe.account.chargeElsewhere(1_200);
    for (let days = 0; days < 3; days += 1) await nextComparison();
    const { tickets } = await shop.instance.staff.support.listAllTickets({ openOnly: true });
    const titles = tickets.map(({ ticket }) => ticket?.title ?? "");
    expect(titles.filter((title) => title.includes("payment-"))).toEqual([
      `Books and provider differ: payment-unknown ${id}`,
    ]);
  });
});

it("the provider's list that staff fetch is the one that audit reconcile reads, and names that money too", async () => {
  const hostledger = (...line: readonly string[]) => commandInProcess(shop.instance, clock, ...line);
  const day = (ms: number) => new Date(clock.epochMilliseconds() + ms).toISOString().slice(0, 10);
  const output = join(files.path, "stripe.json");
  const line = ["bank", "provider-list", "--from", day(-300 * dayMs), "--to", day(0), "--output", output];
  const listed = await hostledger(...line);
  expect(listed).toMatchObject({ code: 0, document: { provider: "stripe", foreign: 0, others: 0 } });
  const written = objectOf(JSON.parse(readFileSync(output, "utf8")));
  expect(written.movements).toHaveLength(Number(objectOf(listed.document).movements));
  // An existing file stays as it is.
  expect(await hostledger(...line)).toMatchObject({ code: 1, stderr: expect.stringContaining(output) });
  // The audit log may be some events behind; the command then compares nothing.
  await soon(async () => {
    const { stdout } = await textInProcess(
      shop.instance,
      clock,
      "audit",
      "reconcile",
      "--provider-list",
      output,
    );
    const differences = stdout.split("\n").filter((text) => text.includes("stripe"));
    expect(differences).toEqual([expect.stringContaining("is settled by stripe, and nobody asked for it")]);
  });
});
