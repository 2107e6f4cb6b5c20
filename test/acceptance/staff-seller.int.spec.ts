import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { startInstance } from "../support/instance.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";
import { customerAt, type Customer } from "../support/staff-client.ts";
import { readEvents } from "../support/books.ts";
import type { EventStore } from "@hostledger/store";

/** Staff set the seller and the tax rates; issued documents keep their seller and rate. */

const environment = {
  HOSTLEDGER_TAX: "eu",
  HOSTLEDGER_SELLER_NAME: "Hosting GmbH",
  HOSTLEDGER_SELLER_STREET: "Hauptstraße 1",
  HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
  HOSTLEDGER_SELLER_CITY: "Berlin",
  // A seller with a Steuernummer and no VAT id.
  HOSTLEDGER_SELLER_TAX_NUMBER: "21/815/08150",
};
const french = {
  kind: "person",
  name: "Ada",
  street: "Rue 1",
  city: "Paris",
  postal_code: "75001",
  country: "FR",
};

const directory = temporaryDirectory();
let shop: Shop;
let store: EventStore;

const decorate = {
  store(opened: EventStore): EventStore {
    store = opened;
    return opened;
  },
};

beforeAll(async () => {
  shop = await openShop({ data: directory.path, environment, decorate });
});

afterAll(async () => {
  await shop.close();
  directory.remove();
});

const staff = () => shop.instance.staff.accounts;

async function buyer(profile: object = french): Promise<Customer> {
  const customer = await shop.customer(100_000n);
  await customer.put("/account", profile);
  return customer;
}

async function rateOfLast(customer: Customer): Promise<unknown> {
  const { id } = objectOf(itemsOf((await customer.get("/billing/invoices")).body).at(-1));
  return objectOf((await customer.get(`/billing/invoices/${String(id)}`)).body).vat_rate;
}

/** The frozen terms of an account's invoices. */
async function termsOf(customer: Customer): Promise<readonly unknown[]> {
  const events = await readEvents(store);
  return events
    .filter(
      ({ stream, type }) => stream === `account-${String(customer.accountId)}` && type === "InvoiceIssued",
    )
    .map(({ data }) => objectOf(objectOf(data).terms));
}

describe("the seller", () => {
  it("is first that of the settings, with a tax number and no VAT id", async () => {
    expect((await staff().showSeller({})).seller).toMatchObject({
      version: 1,
      name: "Hosting GmbH",
      vatId: "",
      taxNumber: "21/815/08150",
      timeZone: "Europe/Berlin",
    });
  });

  it("is changed by staff, and a repetition changes nothing", async () => {
    const change = { city: "Potsdam", reason: "moved" };
    expect(await staff().changeSeller(change)).toMatchObject({
      seller: { version: 2, city: "Potsdam" },
      repeated: false,
    });
    expect(await staff().changeSeller(change)).toMatchObject({ seller: { version: 2 }, repeated: true });
  });

  it.each([
    ["outside the Union", { country: "CH" }, /country/],
    ["without a VAT id and a tax number", { taxNumber: "" }, /vat_?id/i],
    ["in a time zone that is none", { timeZone: "Mars/Olympus" }, /time_?zone/i],
    ["for no reason", { city: "Berlin", reason: "" }, /reason/],
  ])("is refused %s", async (_how, change, words) => {
    await expect(staff().changeSeller({ reason: "x", ...change })).rejects.toThrow(words);
  });

  it("stays on issued documents; a change in the middle of orders is on the later ones only", async () => {
    const customer = await buyer();
    const names = Array.from({ length: 6 }, (_, index) => `middle-${String(index)}.com`);
    await Promise.all([
      ...names.map((name) => registerName(customer, name)),
      staff().changeSeller({ name: "Other GmbH", reason: "renamed in the middle of orders" }),
    ]);
    await registerName(customer, "after.com");
    const invoices = (await termsOf(customer))
      .map((terms) => objectOf(terms))
      .filter(({ tax }) => tax !== null);
    const sellers = invoices.map(({ seller }) => objectOf(seller));
    for (const seller of sellers)
      expect([seller.version, seller.name]).toBeOneOf([
        [2, "Hosting GmbH"],
        [3, "Other GmbH"],
      ]);
    // Versions never go back from a document to the next.
    const versions = sellers.map(({ version }) => Number(version));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    await expect.poll(async () => (await staff().showSeller({})).seller?.version).toBe(3);
  });
});

it("a seller changed in the middle of an order is on the correction, and not on the invoice that it corrects", async () => {
  const customer = await buyer();
  // The registrar takes three seconds to refuse the name, which was charged before.
  const order = customer.post("/domains", { domain: "slow-refused.com" });
  const documents = async () => itemsOf((await customer.get("/billing/invoices")).body).map(objectOf);
  await expect.poll(async () => (await documents()).some(({ action }) => action === "purchase")).toBe(true);
  await staff().changeSeller({ name: "Successor GmbH", reason: "sold in the middle of an order" });
  expect(await order).toMatchObject({ status: 500, body: { code: "registrar_failed" } });
  await expect
    .poll(async () => (await documents()).some(({ action }) => action === "refund"), { timeout: 20_000 })
    .toBe(true);
  const xmlOf = async (wanted: string) => {
    const { id } = objectOf((await documents()).findLast(({ action }) => action === wanted));
    return String((await customer.get(`/billing/invoices/${String(id)}.xml`)).body);
  };
  expect(await xmlOf("purchase")).toContain("<ram:Name>Other GmbH</ram:Name>");
  expect(await xmlOf("purchase")).not.toContain("Successor GmbH");
  expect(await xmlOf("refund")).toContain("<ram:Name>Successor GmbH</ram:Name>");
});

describe("taxes", () => {
  it("are the seller's for consumers in other member states, which staff see summed up", async () => {
    const customer = await buyer();
    await registerName(customer, "before-oss.com");
    expect(await rateOfLast(customer)).toBe(19);
    const { mode, rates, ...shown } = await staff().showTaxes({});
    expect(mode).toBe("eu");
    expect(rates).toContainEqual(expect.objectContaining({ country: "FI", rateBasisPoints: 2_550 }));
    // Eight names at 10.00 EUR net have been sold in this file.
    expect(shown).toMatchObject({ crossBorderNetCents: 8_000n, thresholdCents: 1_000_000n });
  });

  it("are the consumer's own once the seller takes part in the One Stop Shop", async () => {
    const from = "2020-01-01";
    expect(await staff().setOssRegistration({ from, reason: "registered" })).toMatchObject({
      from,
      repeated: false,
    });
    expect(await staff().setOssRegistration({ from, reason: "registered" })).toMatchObject({
      repeated: true,
    });
    const customer = await buyer();
    // Terms of orders are at most a second old.
    await expect
      .poll(
        async () => objectOf(objectOf((await customer.get("/domains/search?domain=oss.com")).body).quote).vat,
      )
      .toBe(2);
    await registerName(customer, "oss.com");
    expect(await rateOfLast(customer)).toBe(20);
  });

  it("follow a rate that staff set", async () => {
    const rate = { country: "FR", rateBasisPoints: 2_150, validFrom: "2020-01-01" };
    await staff().setTaxRate({ rate: { ...rate, validFrom: "2099-01-01" }, reason: "law of a later year" });
    const customer = await buyer();
    await registerName(customer, "next-year.com");
    expect(await rateOfLast(customer)).toBe(20);
    await staff().setTaxRate({ rate: { ...rate, validFrom: "2026-02-01" }, reason: "law" });
    await expect
      .poll(
        async () =>
          objectOf(objectOf((await customer.get("/domains/search?domain=new-rate.com")).body).quote).vat,
      )
      .toBe(2.15);
    await registerName(customer, "new-rate.com");
    expect(await rateOfLast(customer)).toBe(21.5);
  });

  it.each([
    ["a country outside the Union", { country: "CH", rateBasisPoints: 810, validFrom: "2027-01-01" }],
    ["a day that is none", { country: "FR", rateBasisPoints: 2_000, validFrom: "2027-02-30" }],
    ["a rate above 50 per cent", { country: "FR", rateBasisPoints: 5_001, validFrom: "2027-01-01" }],
  ])("refuse %s", async (_what, rate) => {
    await expect(staff().setTaxRate({ rate, reason: "x" })).rejects.toThrow();
  });
});

it("settings do not change an existing seller", async () => {
  const before = (await staff().showSeller({})).seller;
  await shop.close();
  const changed = { ...environment, HOSTLEDGER_SELLER_NAME: "Third GmbH", HOSTLEDGER_TIME_ZONE: "UTC" };
  const instance = await startInstance({ data: directory.path, environment: changed, decorate });
  shop = { ...shop, instance, close: () => instance.close() };
  expect(customerAt(instance.baseUrl, shop.owner).accountId).toBe(shop.owner.accountId);
  expect((await staff().showSeller({})).seller).toEqual(before);
});
