import { realTiming } from "@hostledger/runtime";
import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { restClient } from "../support/rest-client.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** Customers store a payment method with consent, and have their balances topped up by themselves. */

const clock = virtualClock();
let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ clock, environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" } });
});
afterAll(() => shop.close());

const [methods, autoTopUp] = ["/billing/methods", "/billing/auto-topup"];
const off = {
  enabled: false,
  threshold: null,
  amount: null,
  method: null,
  stopped: null,
  last_topup: null,
  last_ordered_at: null,
};

async function waitFor(customer: Customer, balance: string): Promise<void> {
  await eventually(realTiming, async () => {
    const found = await balanceOf(customer);
    if (found !== balance) throw new Error(`the balance is ${String(found)}`);
  });
}

/** A customer with 20.00 EUR and a stored method. */
async function payer(): Promise<{ readonly customer: Customer; readonly method: number }> {
  const customer = await shop.customer(0n);
  const begun = await customer.post("/billing/topups", { amount: 20, method: "card", store_method: true });
  expect(begun).toMatchObject({ status: 201 });
  await waitFor(customer, "20.00");
  const [stored] = itemsOf((await customer.get(methods)).body);
  return { customer, method: Number(stored?.id) };
}

describe("a customer who agrees that a method is stored", () => {
  it("reads and deletes it", async () => {
    const { customer, method } = await payer();
    expect(await customer.get(methods)).toMatchObject({
      status: 200,
      body: [{ id: method, kind: "card", label: "Sandbox …4242", created_at: expect.any(String) }],
    });
    expect(await customer.delete(`${methods}/${String(method)}`)).toMatchObject({ status: 200 });
    expect(await customer.get(methods)).toMatchObject({ status: 200, body: [] });
    const again = { enabled: true, threshold: 10, amount: 30, method };
    expect(await customer.put(autoTopUp, again)).toMatchObject({
      status: 422,
      body: { errors: { method: [expect.any(String)] } },
    });
  });

  it("has the balance topped up when it falls below the threshold", async () => {
    const { customer, method } = await payer();
    expect(await customer.get(autoTopUp)).toMatchObject({ status: 200, body: off });
    const wanted = { enabled: true, threshold: 10, amount: 30, method };
    expect(await customer.put(autoTopUp, wanted)).toMatchObject({
      status: 200,
      body: { ...wanted, stopped: null, last_topup: null },
    });
    await registerName(customer, "auto-topup.com");
    // 20.00 less 11.90, and 30.00.
    await waitFor(customer, "38.10");
    const [, topup] = itemsOf((await customer.get("/billing/topups")).body);
    expect(topup).toMatchObject({ amount: 30, state: "settled", method: "card", redirect_url: null });
    expect((await customer.get(autoTopUp)).body).toMatchObject({ ...wanted, last_topup: topup?.id });
    expect(await customer.put(autoTopUp, { enabled: false })).toMatchObject({ body: { enabled: false } });
  });

  it("reads why automatic top-ups stopped", async () => {
    const { customer, method } = await payer();
    await customer.put(autoTopUp, { enabled: true, threshold: 25, amount: 30.08, method });
    await eventually(realTiming, async () => {
      const { stopped } = objectOf((await customer.get(autoTopUp)).body);
      if (stopped !== "mandate_revoked") throw new Error(`stopped is ${String(stopped)}`);
    });
    expect((await customer.get(autoTopUp)).body).toMatchObject({ enabled: false, method: null });
    expect(await balanceOf(customer)).toBe("20.00");
  });

  it.each([
    ["no amount", { amount: undefined }, "amount"],
    ["an amount of zero", { amount: 0 }, "amount"],
    ["three decimals", { amount: 10.001 }, "amount"],
    ["more than the limit", { amount: 10_000.01 }, "amount"],
    ["a negative threshold", { threshold: -1 }, "threshold"],
    ["a text as threshold", { threshold: "ten" }, "threshold"],
    ["no method", { method: undefined }, "method"],
    ["a method that nobody has", { method: 999_999 }, "method"],
    ["no choice", { enabled: undefined }, "enabled"],
  ])("is refused with %s", async (_what, change, field) => {
    const { customer, method } = await payer();
    const body = { enabled: true, threshold: 10, amount: 30, method, ...change };
    expect(await customer.put(autoTopUp, body)).toMatchObject({
      status: 422,
      body: { errors: { [field]: [expect.any(String)] } },
    });
    expect((await customer.get(autoTopUp)).body).toMatchObject(off);
  });

  it("cannot use or delete the method of another customer", async () => {
    const { customer, method } = await payer();
    const other = await shop.customer(0n);
    expect(await other.delete(`${methods}/${String(method)}`)).toMatchObject({ status: 403 });
    const body = { enabled: true, threshold: 10, amount: 30, method };
    expect(await other.put(autoTopUp, body)).toMatchObject({ status: 422 });
    expect(itemsOf((await customer.get(methods)).body)).toHaveLength(1);
  });
});

describe("the notices of payments", () => {
  it("report that an automatic top-up failed, and that the payment before it arrived", async () => {
    const customer = await shop.customer(0n);
    const { body } = await customer.post("/webhooks", {
      url: "https://hooks.example.net/topups",
      events: ["topup.settled", "topup.failed"],
    });
    const deliveries = `/webhooks/${String(objectOf(body).id)}/deliveries`;
    await customer.post("/billing/topups", { amount: 20, method: "card", store_method: true });
    await waitFor(customer, "20.00");
    const [stored] = itemsOf((await customer.get(methods)).body);
    await customer.put(autoTopUp, { enabled: true, threshold: 25, amount: 30.08, method: stored?.id });
    await eventually(realTiming, async () => {
      const kinds = itemsOf((await customer.get(deliveries)).body).map(({ event }) => event);
      if (kinds.join() !== "topup.settled,topup.failed") throw new Error(`there are ${kinds.join()}`);
    });
  });
});

describe("the scope payments", () => {
  it("is needed for operations that move money, and billing suffices to read", async () => {
    const { customer, method } = await payer();
    const { body } = await customer.post("/keys", { scopes: ["billing"] });
    const billing = restClient(shop.instance.baseUrl, String(objectOf(body).key));
    for (const path of [methods, autoTopUp]) expect(await billing.get(path)).toMatchObject({ status: 200 });
    const missing = { status: 403, body: { code: "missing_scope", scope: "payments" } };
    const wanted = { enabled: true, threshold: 10, amount: 30, method };
    expect(await billing.put(autoTopUp, wanted)).toMatchObject(missing);
    expect(await billing.delete(`${methods}/${String(method)}`)).toMatchObject(missing);
  });
});
