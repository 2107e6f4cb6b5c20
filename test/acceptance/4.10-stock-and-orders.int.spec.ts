import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyNumber, anyText, anyTimestamp, itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, unauthorized, type Shop } from "../support/shop.ts";
import type { RestClient } from "../support/rest-client.ts";

/** Specification §4.10, `GET /stock`, and the contract's catalogue, orders and servers. */

const clock = virtualClock();
let shop: Shop;
let distroId: number;

beforeAll(async () => {
  shop = await openShop({ clock, environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" } });
  distroId = Number(itemsOf((await shop.owner.get("/distros")).body)[0]?.id);
});

afterAll(() => shop.close());

/** A plan of its own with so many units in stock. */
async function planWith(units: number, regionId = shop.regionId): Promise<number> {
  const { staff } = shop.instance;
  const { planId } = await staff.servers.addPlan({
    title: "Own",
    cores: 1,
    memoryGb: 1,
    storageGb: 10,
    priceCents: 499n,
  });
  await staff.servers.setStock({ planId, regionId: BigInt(regionId), units });
  return Number(planId);
}

/** A region with a label of the sandbox in its code (operator.md). */
async function regionWith(label: string): Promise<number> {
  const { regionId } = await shop.instance.staff.servers.addRegion({
    code: `fra-${label}`,
    location: "Frankfurt",
  });
  return Number(regionId);
}

async function unitsOf(planId: number): Promise<unknown> {
  const entries = itemsOf((await shop.owner.get("/stock")).body).map(({ stock }) => objectOf(stock));
  return entries.find((stock) => objectOf(stock.plan).id === planId)?.stock;
}

async function invoicesOf(client: RestClient): Promise<ReturnType<typeof itemsOf>> {
  return itemsOf((await client.get("/billing/invoices")).body);
}

describe("GET /stock", () => {
  it("answers an array of stock entries: plan, units and region", async () => {
    expect(await shop.owner.get("/stock")).toMatchObject({ status: 200 });
    expect(itemsOf((await shop.owner.get("/stock")).body)[0]).toEqual({
      stock: {
        plan: { id: shop.planId, cores: 2, price: 9.99, title: "Small", memory: 4, storage: 80 },
        stock: 1_000,
        available: true,
      },
      region: { id: shop.regionId, region: "fra", location: "Frankfurt" },
    });
  });

  it("shows plans that are out of stock", async () => {
    const planId = await planWith(0);
    const entry = itemsOf((await shop.owner.get("/stock")).body).find(
      ({ stock }) => objectOf(objectOf(stock).plan).id === planId,
    );
    expect(entry).toMatchObject({ stock: { stock: 0, available: false } });
  });
});

describe("GET /plans, /regions, /distros", () => {
  it("answers arrays", async () => {
    expect(itemsOf((await shop.owner.get("/plans")).body)[0]).toMatchObject({
      id: shop.planId,
      title: "Small",
      cores: 2,
      memory: 4,
      storage: 80,
      price: 9.99,
    });
    expect(itemsOf((await shop.owner.get("/regions")).body)[0]).toMatchObject({ id: shop.regionId });
    expect(itemsOf((await shop.owner.get("/distros")).body).length).toBeGreaterThan(0);
  });
});

describe("POST /order", () => {
  const order = (planId = shop.planId, regionId = shop.regionId) => ({
    plan_id: planId,
    region_id: regionId,
    distro_id: distroId,
  });

  it("answers 201 with a server, charges the balance and takes one unit from the stock", async () => {
    const client = await shop.customer(10_000n);
    const planId = await planWith(2);
    const answer = await client.post("/order", { ...order(planId), duration: 2 });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        success: true,
        server_id: anyNumber,
        invoice_id: anyNumber,
        duration: 2,
        amount_charged: 9.98,
        expiry_date: anyTimestamp,
      },
    });
    expect(await balanceOf(client)).toBe("90.02");
    expect(await unitsOf(planId)).toBe(1);
    const { server_id: id, invoice_id: invoiceId, expiry_date: expiry } = objectOf(answer.body);
    expect(await client.get(`/servers/${String(id)}`)).toMatchObject({
      status: 200,
      body: {
        id,
        hostname: null,
        ip_address: anyText,
        node: anyText,
        rdns: anyText,
        distro: anyText,
        status: "active",
        plan_id: planId,
        suspended: false,
        created_at: anyTimestamp,
        expiry_date: expiry,
        terminates_at: anyTimestamp,
        cancelled: false,
        auto_renew: false,
      },
    });
    expect((await invoicesOf(client)).at(-1)).toMatchObject({
      id: invoiceId,
      action: "purchase",
      netto: 8.39,
      brutto: 9.98,
      server_id: id,
      plan_id: planId,
      delivered: true,
    });
  });

  it("answers 400 if the balance does not cover the price: no server, no charge, no unit taken", async () => {
    const client = await shop.customer(498n);
    const planId = await planWith(1);
    expect(await client.post("/order", order(planId))).toMatchObject({
      status: 400,
      body: { status: false, code: "insufficient_balance", required: 4.99, available: 4.98 },
    });
    expect(await client.get("/servers")).toMatchObject({ body: [] });
    expect(await balanceOf(client)).toBe("4.98");
    expect(await unitsOf(planId)).toBe(1);
  });

  it("answers 409 without a charge if the plan is out of stock", async () => {
    const planId = await planWith(0);
    const before = await balanceOf(shop.owner);
    expect(await shop.owner.post("/order", order(planId))).toMatchObject({
      status: 409,
      body: { status: false, code: "out_of_stock" },
    });
    expect(await balanceOf(shop.owner)).toBe(before);
  });

  it.each<[string, object, string]>([
    ["no plan", { plan_id: undefined }, "plan_id"],
    ["an unknown plan", { plan_id: 999_999 }, "plan_id"],
    ["a plan as text", { plan_id: "1" }, "plan_id"],
    ["an unknown region", { region_id: 999_999 }, "region_id"],
    ["an unknown distribution", { distro_id: 999_999 }, "distro_id"],
    ["duration 0", { duration: 0 }, "duration"],
    ["duration 13", { duration: 13 }, "duration"],
    ["a key that is none", { ssh_key: "not a key" }, "ssh_key"],
  ])("answers 422: %s", async (_case, wrong, field) => {
    const answer = await shop.owner.post("/order", { ...order(), ...wrong });
    expect(answer).toMatchObject({ status: 422, body: { status: false } });
    expect(Object.keys(objectOf(objectOf(answer.body).errors))).toEqual([field]);
  });

  it.each(["refused", "offline", "timeout"])(
    "answers 500 if the server cannot be provisioned (%s), and returns the charge and the unit",
    async (label) => {
      const client = await shop.customer(10_000n);
      const regionId = await regionWith(label);
      const planId = await planWith(1, regionId);
      expect(await client.post("/order", order(planId, regionId))).toMatchObject({
        status: 500,
        body: { status: false, code: "compute_failed" },
      });
      expect(await balanceOf(client)).toBe("100.00");
      // After silence the unit goes back when the provider has said twice that there is no server.
      await eventually(clock, async () => {
        expect(await unitsOf(planId)).toBe(1);
      });
      expect((await invoicesOf(client)).map(({ action, brutto }) => [action, brutto])).toEqual([
        ["topup", 100],
        ["purchase", 4.99],
        ["refund", -4.99],
      ]);
      expect(await client.get("/servers")).toMatchObject({ body: [] });
    },
  );

  it("answers 201 if only the provider's answer was lost: one server, paid once", async () => {
    const client = await shop.customer(10_000n);
    const regionId = await regionWith("lost");
    const planId = await planWith(1, regionId);
    expect(await client.post("/order", order(planId, regionId))).toMatchObject({ status: 201 });
    expect(await balanceOf(client)).toBe("95.01");
  });

  it("fills 50 of 200 concurrent orders for 50 units, and answers the other 150 with 409 without a charge", async () => {
    const client = await shop.customer(100_000n);
    const planId = await planWith(50);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => client.post("/order", order(planId))),
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([...statuses].map(([status, { length }]) => [status, length]).toSorted()).toEqual([
      [201, 50],
      [409, 150],
    ]);
    expect(await unitsOf(planId)).toBe(0);
    expect(await balanceOf(client)).toBe("750.50");
    const servers = itemsOf((await client.get("/servers")).body);
    expect(servers).toHaveLength(50);
    expect(new Set(servers.map((server) => server.ip_address)).size).toBe(50);
  });
});

describe("GET /servers", () => {
  it("answers the caller's servers, oldest first", async () => {
    const client = await shop.customer();
    const ids = [await shop.provision({ of: client }), await shop.provision({ of: client })];
    expect(itemsOf((await client.get("/servers")).body).map(({ id }) => id)).toEqual(ids);
    expect(await client.get(`/servers?limit=1`)).toMatchObject({ body: [{ id: ids[0] }] });
  });

  it("answers 403 for another account's server and 404 for an unknown server", async () => {
    const id = await shop.provision();
    expect(await shop.stranger.get(`/servers/${String(id)}`)).toMatchObject(unauthorized);
    expect(await shop.owner.get("/servers/999999")).toMatchObject({ status: 404 });
  });
});
