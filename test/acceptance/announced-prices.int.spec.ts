import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, type Shop } from "../support/shop.ts";

const clock = virtualClock();
let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ clock });
});
afterAll(() => shop.close());

const hostledger = (...line: readonly string[]) => commandInProcess(shop.instance, clock, ...line);
const dayMs = 86_400_000;

/** `admin price set com`, at 12.00 EUR to register and 13.00 EUR to renew. */
const announce = (from: string) => {
  const prices = ["--registration", "12", "--renewal", "13", "--transfer", "10"];
  return hostledger("admin", "price", "set", "com", ...prices, "--from", from);
};
const inDays = (days: number) => new Date(clock.epochMilliseconds() + days * dayMs).toISOString();

it("customers pay an announced price from its date on, and staff see it before", async () => {
  const customer = await shop.customer(1_000_000n);
  const priceNow = async () =>
    itemsOf((await customer.get("/domains/pricing")).body).find(({ tld }) => tld === "com")
      ?.registration_price;
  const paidFor = async (domain: string) =>
    objectOf((await customer.post("/domains", { domain })).body).amount_charged;
  const [price, paid] = [await priceNow(), await paidFor("before-the-date.com")];

  const from = inDays(10);
  expect(await announce(from)).toMatchObject({ code: 0, document: { tld: "com", valid_from: from } });
  expect(await priceNow()).toBe(price);
  expect(await paidFor("still-before.com")).toBe(paid);
  const listed = itemsOf((await hostledger("admin", "price", "list")).document);
  const announced = { registration_price: "12.00", renewal_price: "13.00" };
  expect(listed.find(({ tld }) => tld === "com")).toMatchObject({ announced });

  clock.advance(11 * dayMs);
  expect(await priceNow()).toBe(12);
  // With 19 percent of VAT.
  expect(await paidFor("after-the-date.com")).toBe(14.28);
  const after = itemsOf((await hostledger("admin", "price", "list")).document);
  expect(after.find(({ tld }) => tld === "com")).not.toHaveProperty("announced");
});

it.each([
  ["yesterday", () => inDays(-1)],
  ["a day that no calendar has", () => "2031-02-30T00:00:00Z"],
  ["no time at all", () => "soon"],
])("staff cannot announce prices from %s, and nothing changes", async (_what, from) => {
  const before = (await hostledger("admin", "price", "list")).document;
  expect((await announce(from())).code).toBe(1);
  expect((await hostledger("admin", "price", "list")).document).toEqual(before);
});

it("servers ordered from an announced date on pay the plan's new price", async () => {
  const customer = await shop.customer(1_000_000n);
  const [plan] = itemsOf((await customer.get("/plans")).body);
  const id = String(plan?.id);
  const priceNow = async () =>
    itemsOf((await customer.get("/plans")).body).find((one) => String(one.id) === id)?.price;
  const before = await priceNow();
  const from = inDays(10);
  const edited = await hostledger("admin", "plan", "edit", id, "--price", "33.30", "--from", from);
  expect(edited).toMatchObject({ code: 0, document: { announced: { price: "33.30" } } });
  expect(await priceNow()).toBe(before);
  clock.advance(11 * dayMs);
  expect(await priceNow()).toBe(33.3);
});
