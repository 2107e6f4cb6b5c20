import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startInstance } from "../support/instance.ts";
import { itemsOf, objectOf, textMatching } from "../support/matchers.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";
import { customerAt, sell, type Customer } from "../support/staff-client.ts";

/** With `HOSTLEDGER_TAX=eu`, the buyer's profile decides the VAT of orders. */

const environment = {
  HOSTLEDGER_TAX: "eu",
  HOSTLEDGER_SELLER_NAME: "Hosting GmbH",
  HOSTLEDGER_SELLER_STREET: "Hauptstraße 1",
  HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
  HOSTLEDGER_SELLER_CITY: "Berlin",
  HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
};

const directory = temporaryDirectory();
let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ data: directory.path, environment });
  await sell(shop.instance.staff, "dev", 5_000n);
});

afterAll(async () => {
  await shop.close();
  directory.remove();
});

/** A customer with 1,000.00 EUR of whom only this is known. */
async function buyer(profile: object = {}): Promise<Customer> {
  const customer = await shop.customer(100_000n);
  const { status } = await customer.put("/account", profile);
  expect(status).toBe(200);
  return customer;
}

const nobody = {};
const german = { kind: "person", country: "DE" };
const french = { kind: "person", country: "FR" };
const swiss = { kind: "organisation", organisation: "Hosting AG", country: "CH" };

const last = async (customer: Customer): Promise<unknown> => {
  const { id } = objectOf(itemsOf((await customer.get("/billing/invoices")).body).at(-1));
  return (await customer.get(`/billing/invoices/${String(id)}`)).body;
};

describe("an order of a buyer whose country nobody knows", () => {
  it.each([
    ["a domain", "/domains", { domain: "nobody.com" }],
    ["a transfer", "/domains/transfer", { domain: "taken-elsewhere.com", auth_code: "secret-code" }],
  ])("is refused before anything is charged: %s", async (_what, path, body) => {
    const customer = await buyer(nobody);
    expect(await customer.post(path, body)).toMatchObject({
      status: 422,
      body: { code: "profile_incomplete", errors: { country: [textMatching(/country/)] } },
    });
    expect(await balanceOf(customer)).toBe("1000.00");
  });

  it("is refused before anything is charged: a server", async () => {
    const customer = await buyer(nobody);
    const order = { plan_id: shop.planId, region_id: shop.regionId, distro_id: 1 };
    expect(await customer.post("/order", order)).toMatchObject({
      status: 422,
      body: { code: "profile_incomplete" },
    });
    expect(await balanceOf(customer)).toBe("1000.00");
  });
});

describe("a price", () => {
  it.each([
    ["a German consumer", german, 1.9, 11.9],
    ["a French consumer before OSS, at the seller's rate", french, 1.9, 11.9],
    ["a Swiss company", swiss, 0, 10],
    ["a stranger, at the seller's rate", nobody, 1.9, 11.9],
  ])("is shown as it would be charged to %s", async (_who, profile, vat, gross) => {
    const customer = await buyer(profile);
    const { body } = await customer.get("/domains/search?domain=price.com");
    expect(body).toMatchObject({ quote: { net: 10, vat, gross } });
  });
});

describe("an invoice", () => {
  it("has the buyer's rate: a German consumer", async () => {
    const customer = await buyer(german);
    await registerName(customer, "german.com");
    expect(await last(customer)).toMatchObject({ netto: 10, vat: 1.9, vat_rate: 19, brutto: 11.9 });
  });

  it("of a Swiss company has no VAT, for a domain and for a server, whose plan price contains the domestic VAT", async () => {
    const customer = await buyer(swiss);
    await registerName(customer, "swiss.com");
    expect(await last(customer)).toMatchObject({ netto: 10, vat: 0, vat_rate: 0, brutto: 10 });
    const server = await shop.provision({ of: customer });
    expect((await customer.post(`/servers/${String(server)}/renew`, { duration: 1 })).status).toBe(200);
    // 9.99 contain 1.60 at 19 %.
    expect(await last(customer)).toMatchObject({ netto: 8.39, vat: 0, vat_rate: 0, brutto: 8.39 });
  });
});

describe("an order above 250 euros", () => {
  it("needs a complete address, and a smaller one does not", async () => {
    const customer = await buyer(german);
    expect(await customer.post("/domains", { domain: "large.dev", years: 5 })).toMatchObject({
      status: 422,
      body: { code: "profile_incomplete", errors: { name: expect.anything(), street: expect.anything() } },
    });
    expect(await balanceOf(customer)).toBe("1000.00");
    await customer.put("/account", { name: "Ada", street: "Weg 1", city: "Berlin", postal_code: "10115" });
    expect((await customer.post("/domains", { domain: "large.dev", years: 5 })).status).toBe(201);
    expect(await balanceOf(customer)).toBe("702.50");
  });
});

it("notifies the customer when an automatic renewal lacks the country, and renews nothing", async () => {
  const directory = temporaryDirectory();
  const before = await openShop({ data: directory.path, environment });
  await before.owner.put("/account", german);
  const id = await registerName(before.owner, "alive.com");
  await before.owner.put(`/domains/${String(id)}/settings`, { auto_renew: true });
  await before.owner.put("/account", { country: null });
  await before.close();
  const later = { ...environment, HOSTLEDGER_CLOCK_OFFSET: "+360d" };
  const instance = await startInstance({ data: directory.path, environment: later });
  try {
    const client = customerAt(instance.baseUrl, before.owner);
    const tickets = async () => itemsOf((await client.get("/tickets")).body);
    await expect.poll(tickets).toContainEqual(expect.objectContaining({ title: textMatching(/alive\.com/) }));
    expect(await balanceOf(client)).toBe("988.10");
  } finally {
    await instance.close();
    directory.remove();
  }
});
