import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itemsOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/**
 * Lists take `limit`, `after`, `order` and their natural filters (contract, "Conventions"): an unknown value of a known
 * filter is 422, an unknown parameter is ignored, and the link to the next page keeps order and filters.
 */

const clock = virtualClock();
const day = (days: number): string =>
  new Date(Date.parse(clock.now()) + days * 86_400_000).toISOString().slice(0, 10);

let shop: Shop;
let customer: Customer;
let firstDay: string;

beforeAll(async () => {
  shop = await openShop({
    clock,
    environment: { HOSTLEDGER_RATE_LIMIT: "0", HOSTLEDGER_WEBHOOK_ALLOW: "127.0.0.0/8" },
  });
  customer = await shop.customer(1_000_000n);
  firstDay = day(0);
  await registerName(customer, "one.com");
  await customer.post("/tickets", { title: "One", message: "?" });
  await customer.post("/tickets", { title: "Two", message: "?" });
  await customer.post("/keys", { label: "web" });
  await customer.post("/webhooks", { url: "http://127.0.0.1:9999/one" });
  await shop.provision({ of: customer });
  clock.advance(3 * 86_400_000);
  await registerName(customer, "two.com");
  await registerName(customer, "three.com");
  await customer.post("/tickets", { title: "Three", message: "?" });
  await customer.post("/webhooks", { url: "http://127.0.0.1:9999/two" });
  await customer.post("/keys", { label: "mail" });
});

afterAll(() => shop.close());

const lists = [
  "/domains",
  "/servers",
  "/tickets",
  "/billing/invoices",
  "/keys",
  "/webhooks",
  "/plans",
  "/regions",
  "/distros",
];
const dated = lists.slice(0, 6);

const idsOf = async (path: string): Promise<number[]> => {
  const { status, body } = await customer.get(path);
  expect(status, JSON.stringify(body)).toBe(200);
  return itemsOf(body).map(({ id }) => Number(id));
};

describe.each(lists)("%s", (path) => {
  it("is sorted with the oldest or the newest first", async () => {
    const ids = await idsOf(path);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect(await idsOf(`${path}?order=asc`)).toEqual(ids);
    expect(await idsOf(`${path}?order=desc`)).toEqual(ids.toReversed());
  });

  it("pages in either order", async () => {
    for (const order of ["asc", "desc"]) {
      const all = await idsOf(`${path}?order=${order}`);
      const seen: number[] = [];
      for (let next: string | undefined = `${path}?order=${order}&limit=1`; next !== undefined;) {
        const { headers, body } = await customer.get(next);
        seen.push(...itemsOf(body).map(({ id }) => Number(id)));
        next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
        if (next !== undefined) expect(next).toContain(`order=${order}`);
      }
      expect(seen).toEqual(all);
    }
  });

  it("refuses an unknown order, and ignores an unknown parameter", async () => {
    expect(await customer.get(`${path}?order=up`)).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
    expect(await idsOf(`${path}?colour=red`)).toEqual(await idsOf(path));
  });
});

describe.each(dated)("%s by date", (path) => {
  it("shows items created in a range of days, both included, or of times", async () => {
    const all = await idsOf(path);
    const first = await idsOf(`${path}?to=${firstDay}`);
    const later = await idsOf(`${path}?from=${day(0)}`);
    expect([...first, ...later]).toEqual(all);
    expect(first.length).toBeGreaterThan(0);
    expect(await idsOf(`${path}?from=${firstDay}&to=${firstDay}`)).toEqual(first);
    expect(await idsOf(`${path}?from=${day(0)}T00:00:00Z&order=desc`)).toEqual(later.toReversed());
    expect(await idsOf(`${path}?to=${day(0)}T00:00:00.0Z`)).toEqual(first);
  });

  it.each(["yesterday", "2026-02-30", "2026-13-01", "2026-01-01T25:00:00Z", ""])(
    "refuses the date %j",
    async (date) => {
      expect((await customer.get(`${path}?from=${date}`)).status).toBe(422);
      expect((await customer.get(`${path}?to=${date}`)).status).toBe(422);
    },
  );
});

describe.each(["/stock", "/domains/pricing"])("%s", (path) => {
  it("is complete, and ignores unknown parameters", async () => {
    const all = await customer.get(path);
    expect(itemsOf(all.body).length).toBeGreaterThan(0);
    expect((await customer.get(`${path}?limit=0&order=up&colour=red`)).body).toEqual(all.body);
  });
});

describe("the filters", () => {
  it.each([
    ["/domains?status=active", 3],
    ["/domains?status=expired", 0],
    ["/domains?status=active&name=one.com", 1],
    ["/domains?status=expired&name=one.com", 0],
    ["/domains?name=one.com&order=desc", 1],
    ["/servers?status=active", 1],
    ["/servers?status=suspended", 0],
    ["/servers?name=nobody", 0],
    ["/tickets?status=open", 3],
    ["/tickets?status=closed", 0],
    ["/keys?name=web", 1],
    ["/keys?name=nothing", 0],
    ["/webhooks?status=enabled", 2],
    ["/webhooks?status=disabled", 0],
    ["/billing/invoices?domain=one.com", 1],
    ["/billing/invoices?domain=nobodys.com", 0],
  ])("%s: %i", async (path, count) => {
    expect(await idsOf(path)).toHaveLength(count);
  });

  it.each([
    "/domains?status=lost",
    "/servers?status=",
    "/tickets?status=Open",
    "/webhooks?status=on",
    "/account/notices/deliveries?status=sent",
    "/billing/invoices?domain=-",
    "/domains?status=active&status=expired",
  ])("%s: answers 422 for an unknown value", async (path) => {
    const { status, body } = await customer.get(path);
    expect({ status, body }).toMatchObject({ status: 422, body: { code: "validation_failed" } });
  });

  it("leave other fields unchanged", async () => {
    const { body } = await customer.get("/tickets?status=open&order=desc&limit=1");
    expect(itemsOf(body)).toMatchObject([{ title: "Three" }]);
  });

  it("are part of the link to the next page", async () => {
    const { headers } = await customer.get(`/domains?status=active&from=${firstDay}&order=desc&limit=1`);
    const last = (await idsOf("/domains")).at(-1);
    expect(headers.get("link")).toBe(
      `</api/v1/domains?limit=1&order=desc&from=${firstDay}&status=active&after=${String(last)}>; rel="next"`,
    );
  });
});
