import { virtualClock } from "@hostledger/runtime/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { restClient } from "../support/rest-client.ts";
import { openShop, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** Customers top up their balances by themselves, at the sandbox's payment provider. */

const clock = virtualClock();
let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ clock, environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" } });
});
afterAll(() => shop.close());

const site = "https://hosting.example";
const begin = (customer: Customer, amount: unknown, more: object = {}) =>
  customer.post("/billing/topups", { amount, method: "card", ...more });
const balanceOf = async (customer: Customer) =>
  objectOf((await customer.get("/billing/balance")).body).balance;

/** Waits until a payment has a state, and returns it. */
function inState(customer: Customer, id: unknown, state: string): Promise<Record<string, unknown>> {
  return eventually(realTiming, async () => {
    const topup = objectOf((await customer.get(`/billing/topups/${String(id)}`)).body);
    if (topup.state !== state) throw new Error(`the payment is ${JSON.stringify(topup)}`);
    return topup;
  });
}

describe("a customer who tops up", () => {
  it("is sent to a page, and has the money on the balance, with a receipt", async () => {
    const customer = await shop.customer(0n);
    const { status, body } = await begin(customer, 50.5, { return_url: `${site}/billing?done=1` });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { status: true, message: expect.any(String), topup: { amount: 50.5, method: "card" } },
    });
    const { id } = objectOf(objectOf(body).topup);
    const paid = await inState(customer, id, "settled");
    expect(paid).toMatchObject({ id, amount: 50.5, paid: 50.5, redirect_url: null, failure: null });
    await eventually(realTiming, async () => {
      if ((await balanceOf(customer)) !== "50.50") throw new Error("the balance is not credited yet");
    });
    const [receipt] = itemsOf((await customer.get("/billing/invoices")).body);
    const detail = objectOf((await customer.get(`/billing/invoices/${String(receipt?.id)}`)).body);
    expect(detail).toMatchObject({ action: "topup", brutto: 50.5, payment_reference: paid.reference });
    expect(itemsOf((await customer.get("/billing/topups")).body)).toEqual([paid]);
    expect(itemsOf((await customer.get("/billing/topups?status=failed")).body)).toEqual([]);
  });

  it("makes one payment for repeated requests", async () => {
    const customer = await shop.customer(0n);
    const once = { "Idempotency-Key": "topup-1" };
    const body = { amount: 20, method: "card" };
    const first = await customer.post("/billing/topups", body, once);
    const second = await customer.post("/billing/topups", body, once);
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(await customer.post("/billing/topups", { ...body, amount: 30 }, once)).toMatchObject({
      status: 422,
    });
    expect(itemsOf((await customer.get("/billing/topups")).body)).toHaveLength(1);
  });

  it("reads why nothing came", async () => {
    const customer = await shop.customer(0n);
    const { body } = await begin(customer, 50.01);
    const failed = await inState(customer, objectOf(objectOf(body).topup).id, "failed");
    expect(failed).toMatchObject({ paid: null, failure: expect.any(String) });
    expect(await begin(customer, 50.08)).toMatchObject({ status: 422, body: { code: "payment_refused" } });
    expect(await balanceOf(customer)).toBe("0.00");
  });

  it("gets 502 if the provider's answer is lost, and the money all the same", async () => {
    const customer = await shop.customer(0n);
    expect(await begin(customer, 50.02)).toMatchObject({
      status: 502,
      body: { code: "payment_unavailable" },
    });
    const [topup] = itemsOf((await customer.get("/billing/topups")).body);
    expect(await inState(customer, topup?.id, "settled")).toMatchObject({ paid: 50.02 });
  });

  it("whose payment is charged back owes the money, and gets a ticket", async () => {
    const customer = await shop.customer(0n);
    const { body } = await begin(customer, 50.07);
    const { id } = objectOf(objectOf(body).topup);
    expect(await inState(customer, id, "returned")).toMatchObject({ paid: 50.07 });
    await eventually(realTiming, async () => {
      const tickets = itemsOf((await customer.get("/tickets")).body);
      if (!tickets.some(({ title }) => title === "A payment of 50.07 EUR was taken back"))
        throw new Error(`there is no ticket among ${JSON.stringify(tickets)}`);
    });
    expect(await balanceOf(customer)).toBe("0.00");
  });

  it.each([
    ["nothing", { amount: 0 }, "amount"],
    ["less than nothing", { amount: -5 }, "amount"],
    ["three decimals", { amount: 10.001 }, "amount"],
    ["more than the limit", { amount: 10_000.01 }, "amount"],
    ["a text", { amount: "ten" }, "amount"],
    ["an unknown method", { method: "cheque" }, "method"],
    ["a page of another site", { return_url: "https://evil.example/" }, "return_url"],
    ["a page of a site that looks alike", { return_url: `${site}.evil.example/` }, "return_url"],
    ["a script", { return_url: "javascript:alert(1)" }, "return_url"],
  ])("is refused with %s, and nothing is stored", async (_what, change, field) => {
    const customer = await shop.customer(0n);
    const answer = await customer.post("/billing/topups", { amount: 50, method: "card", ...change });
    expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
    expect(itemsOf((await customer.get("/billing/topups")).body)).toEqual([]);
  });

  it("does not see the payments of others", async () => {
    const customer = await shop.customer(0n);
    const { body } = await begin(customer, 50);
    const other = await shop.customer(0n);
    const { id } = objectOf(objectOf(body).topup);
    expect(await other.get(`/billing/topups/${String(id)}`)).toMatchObject({ status: 403 });
    expect(await other.get("/billing/topups/999999")).toMatchObject({ status: 404 });
  });
});

describe("the scope payments", () => {
  const keyWith = async (customer: Customer, scopes: readonly string[]) => {
    const { body } = await customer.post("/keys", { scopes });
    return restClient(shop.instance.baseUrl, String(objectOf(body).key));
  };

  it("is needed to pay, and billing or read suffices to look", async () => {
    const customer = await shop.customer(0n);
    const pay = { amount: 50, method: "card" };
    const billing = await keyWith(customer, ["billing"]);
    expect(await billing.post("/billing/topups", pay)).toMatchObject({
      status: 403,
      body: { code: "missing_scope", scope: "payments" },
    });
    expect(await billing.get("/billing/topups")).toMatchObject({ status: 200 });
    const payments = await keyWith(customer, ["payments"]);
    expect(await payments.post("/billing/topups", pay)).toMatchObject({ status: 201 });
    expect(await payments.get("/billing/balance")).toMatchObject({ status: 403 });
  });
});
