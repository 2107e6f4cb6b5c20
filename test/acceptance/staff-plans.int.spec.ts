import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, type Shop } from "../support/shop.ts";

/** `hostledger admin plan edit` and `retire`, as customers see them. */

const clock = virtualClock();
let shop: Shop;
let distroId: number;

beforeAll(async () => {
  shop = await openShop({ clock });
  distroId = Number(itemsOf((await shop.owner.get("/distros")).body)[0]?.id);
});
afterAll(() => shop.close());

const admin = (...line: readonly string[]) => commandInProcess(shop.instance, clock, "admin", ...line);

/** A plan of its own at 5.00 EUR, with units in stock. */
async function newPlan(): Promise<number> {
  const { staff } = shop.instance;
  const terms = { title: "Own", cores: 1, memoryGb: 1, storageGb: 10, priceCents: 500n };
  const { planId } = await staff.servers.addPlan(terms);
  await staff.servers.setStock({ planId, regionId: BigInt(shop.regionId), units: 10 });
  return Number(planId);
}

const orderOf = (planId: number) => ({ plan_id: planId, region_id: shop.regionId, distro_id: distroId });

/** Returns whether customers see the plan: among the plans, and in stock. */
async function isShown(planId: number): Promise<readonly [boolean, boolean]> {
  const plans = itemsOf((await shop.owner.get("/plans")).body);
  const stock = itemsOf((await shop.owner.get("/stock")).body).map((entry) => objectOf(entry.stock));
  return [plans.some(({ id }) => id === planId), stock.some(({ plan }) => objectOf(plan).id === planId)];
}

it("new servers pay an edited plan's new price; existing servers renew at their original price", async () => {
  const planId = await newPlan();
  const client = await shop.customer(10_000n);
  const { server_id: serverId } = objectOf((await client.post("/order", orderOf(planId))).body);
  expect(await admin("plan", "edit", String(planId), "--price", "20", "--title", "Dear")).toMatchObject({
    code: 0,
    document: { plan_id: planId, title: "Dear", cores: 1, memory: 1, storage: 10, price: "20.00" },
  });
  const plans = itemsOf((await client.get("/plans")).body);
  expect(plans.find(({ id }) => id === planId)).toMatchObject({ title: "Dear", price: 20, cores: 1 });
  expect((await client.post(`/servers/${String(serverId)}/renew`, {})).status).toBe(200);
  expect(await balanceOf(client)).toBe("90.00");
  const ordered = await client.post("/order", orderOf(planId));
  expect(ordered).toMatchObject({ status: 201, body: { amount_charged: 20 } });
});

it("customers get the same answer for a retired plan as for an unknown plan, and its servers renew", async () => {
  const planId = await newPlan();
  const client = await shop.customer(10_000n);
  const { server_id: serverId } = objectOf((await client.post("/order", orderOf(planId))).body);
  expect(await isShown(planId)).toEqual([true, true]);
  const line = ["plan", "retire", String(planId), "--reason", "Its processors are old"];
  for (const _again of [1, 2])
    expect(await admin(...line)).toMatchObject({ code: 0, document: { plan_id: planId, retired: true } });
  expect(await isShown(planId)).toEqual([false, false]);
  const [retired, unknown] = [
    await client.post("/order", orderOf(planId)),
    await client.post("/order", orderOf(999)),
  ];
  expect(retired).toMatchObject({ status: 422, body: { code: "plan_not_found" } });
  const said = JSON.stringify(retired.body).replaceAll(`sent: ${String(planId)}`, "sent: 999");
  expect(JSON.parse(said)).toEqual(unknown.body);
  expect((await client.post(`/servers/${String(serverId)}/renew`, {})).status).toBe(200);
  expect((await client.get(`/servers/${String(serverId)}`)).body).toMatchObject({
    plan_id: planId,
    status: "active",
  });
  expect(await balanceOf(client)).toBe("90.00");
});

it.each([
  ["a plan that is not there", ["plan", "edit", "999", "--price", "1"]],
  ["a price out of range", ["plan", "edit", "1", "--price", "99999999"]],
  ["a title that is too long", ["plan", "edit", "1", "--title", "W".repeat(101)]],
  ["the end of what is not there", ["plan", "retire", "999", "--reason", "None"]],
  ["a reason that is a story", ["plan", "retire", "1", "--reason", "r".repeat(501)]],
])("refuses %s with a sentence, and changes nothing", async (_case, line) => {
  const before = (await shop.owner.get("/plans")).body;
  const { code, stderr } = await admin(...line);
  expect(code).toBe(1);
  expect(stderr.trim()).not.toBe("");
  expect((await shop.owner.get("/plans")).body).toEqual(before);
});
