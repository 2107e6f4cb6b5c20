import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import { eventually, openShop } from "../server-service.fixture.ts";

const reason = "Its processors are old";

describe("showCatalogue", () => {
  it("shows what is sold in each region, and what is no longer sold", async () => {
    const { staff, planId, regionId } = await openShop();
    const validFrom = "2031-01-01T00:00:00.000000Z";
    await staff().editPlan({ planId, priceCents: 1_500n, validFrom });
    const old = await staff().addPlan({ title: "Old", cores: 1, memoryGb: 1, storageGb: 1, priceCents: 1n });
    await staff().retirePlan({ planId: old.planId, reason });
    const { plans, regions, stock } = await staff().showCatalogue({});
    expect(plans).toMatchObject([
      { id: planId, retired: false, announcedPriceCents: 1_500n, validFrom },
      { id: old.planId, title: "Old", retired: true },
    ]);
    expect(regions.map(({ id }) => id)).toContain(regionId);
    expect(stock).toMatchObject([{ planId, regionId }]);
  });
});

describe("editPlan", () => {
  it("changes what is sold, field by field, and once", async () => {
    const { staff, customer, planId, typesOf } = await openShop();
    const { catalogue } = customer();
    const [before] = (await catalogue.listPlans({})).plans;
    const edited = { planId, title: "Larger", priceCents: 1_500n };
    for (const _again of [1, 2])
      expect(await staff().editPlan(edited)).toMatchObject({ ...edited, cores: before?.cores });
    const after = { ...before, title: "Larger", priceCents: 1_500n };
    expect((await catalogue.listPlans({})).plans).toEqual([after]);
    expect((await catalogue.listStock({})).entries).toMatchObject([{ plan: { title: "Larger" } }]);
    expect(await staff().editPlan({ planId })).toMatchObject({ title: "Larger" });
    expect(await typesOf(`plan-${String(planId)}`)).toEqual(["PlanAdded", "PlanEdited"]);
  });

  it("leaves servers as they were ordered: they renew at their price", async () => {
    const { staff, customer, planId, regionId, accounts } = await openShop();
    const { servers } = customer(100_000n);
    const { serverId } = await servers.orderServer({ planId, regionId, distroId: 1n });
    await staff().editPlan({ planId, priceCents: 5_000n });
    await servers.renewServer({ serverId });
    const later = await servers.orderServer({ planId, regionId, distroId: 1n });
    expect(later.amountChargedCents).toBe(5_000n);
    expect([...accounts.charges.values()].map(({ grossCents }) => grossCents)).toEqual([
      1_000n,
      1_000n,
      5_000n,
    ]);
  });

  it.each([
    ["title", { title: "" }],
    ["title", { title: "a\nb" }],
    ["cores", { cores: 0 }],
    ["memory", { memoryGb: 65_537 }],
    ["storage", { storageGb: 0 }],
    ["price", { priceCents: -1n }],
  ])("refuses a wrong %s, and writes nothing", async (field, wrong) => {
    const { staff, planId, store } = await openShop();
    const before = await store.lastPosition();
    const refusal = await refusalOf(staff().editPlan({ planId, ...wrong }));
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    expect(await store.lastPosition()).toBe(before);
  });
});

describe("a price from an instant on", () => {
  const validFrom = "2028-01-01T00:00:00.000000Z";

  it("applies to every order from then on, and is shown in the lists", async () => {
    const { staff, customer, planId, regionId, clock } = await openShop();
    const { servers, catalogue } = customer(100_000n);
    const order = async () =>
      (await servers.orderServer({ planId, regionId, distroId: 1n })).amountChargedCents;
    const listed = async () => [
      (await catalogue.listPlans({})).plans[0]?.priceCents,
      (await catalogue.listStock({})).entries[0]?.plan?.priceCents,
    ];
    const announced = { announcedPriceCents: 1_500n, validFrom };
    expect(await staff().editPlan({ planId, priceCents: 1_500n, validFrom })).toMatchObject(announced);
    expect(await staff().editPlan({ planId, title: "Larger" })).toMatchObject(announced);
    expect([await order(), ...(await listed())]).toEqual([1_000n, 1_000n, 1_000n]);
    clock.moveTo(validFrom);
    expect([await order(), ...(await listed())]).toEqual([1_500n, 1_500n, 1_500n]);
    const now = await staff().editPlan({ planId });
    expect(now).toMatchObject({ priceCents: 1_500n });
    expect(now).not.toHaveProperty("validFrom");
  });

  it.each([
    ["a day that no calendar has", { priceCents: 1n, validFrom: "2027-02-30T00:00:00Z" }, "valid_from"],
    ["the past", { priceCents: 1n, validFrom: "2020-01-01T00:00:00Z" }, "valid_from"],
    ["no price", { validFrom }, "valid_from"],
    ["more than a price", { validFrom, priceCents: 1n, cores: 2 }, "valid_from"],
  ])("is refused with %s, and nothing is written", async (_what, wrong, field) => {
    const { staff, planId, store } = await openShop();
    const before = await store.lastPosition();
    const refusal = await refusalOf(staff().editPlan({ planId, ...wrong }));
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    expect(await store.lastPosition()).toBe(before);
  });
});

describe("retirePlan", () => {
  it("ends the sale: for customers the plan no longer exists", async () => {
    const { staff, customer, planId, regionId, typesOf } = await openShop();
    const { servers, catalogue, accountId } = customer(100_000n);
    for (const _again of [1, 2])
      expect(await staff().retirePlan({ planId, reason })).toMatchObject({ planId });
    expect((await catalogue.listPlans({})).plans).toEqual([]);
    expect((await catalogue.listStock({})).entries).toEqual([]);
    const order = { planId, regionId, distroId: 1n };
    const refusals = [
      servers.orderServer(order),
      staff().provisionServer({ accountId: BigInt(accountId), planId, regionId }),
      staff().setStock({ planId, regionId, units: 3 }),
      staff().editPlan({ planId, title: "Again" }),
    ].map(refusalOf);
    for (const refusal of await Promise.all(refusals))
      expect(refusal).toMatchObject({ code: "plan-not-found" });
    expect(await typesOf(`plan-${String(planId)}`)).toEqual(["PlanAdded", "PlanRetired"]);
  });

  it("leaves its servers: they are renewed, and a unit goes back to the stock that is not shown", async () => {
    const { staff, customer, planId, regionId, service, typesOf } = await openShop({ units: 2 });
    const { servers } = customer(100_000n);
    const { serverId } = await servers.orderServer({ planId, regionId, distroId: 1n });
    await staff().retirePlan({ planId, reason });
    await servers.renewServer({ serverId });
    expect((await servers.getServer({ serverId })).server).toMatchObject({ status: "active", planId });
    await staff().terminateServer({ serverId });
    await service.inspectNodes();
    const stock = `stock-${String(planId)}-${String(regionId)}`;
    await eventually(async () => {
      expect(await typesOf(stock)).toContain("StockUnitReturned");
    });
    expect(await staff().reconcileServers({})).toMatchObject({ differences: [] });
  });

  it.each([
    ["no reason", { reason: " " }, "validation-failed"],
    ["a reason of two lines", { reason: "one\ntwo" }, "validation-failed"],
    ["a story for a reason", { reason: "r".repeat(501) }, "validation-failed"],
    ["a plan that is not there", { planId: 99n }, "plan-not-found"],
    ["what is no id", { planId: -1n }, "plan-not-found"],
  ])("refuses %s, and writes nothing", async (_case, wrong, code) => {
    const { staff, planId, store } = await openShop();
    const before = await store.lastPosition();
    expect(await refusalOf(staff().retirePlan({ planId, reason, ...wrong }))).toMatchObject({ code });
    expect(await store.lastPosition()).toBe(before);
  });
});

it.each(["editPlan", "retirePlan"] as const)("%s is for staff only", async (method) => {
  const { staff, planId } = await openShop();
  const asCustomer = staff({ kind: "account", accountId: 1, keyId: 1 });
  const call = asCustomer[method]({ planId, reason });
  expect(await refusalOf(call)).toMatchObject({ code: "unauthorized" });
});
