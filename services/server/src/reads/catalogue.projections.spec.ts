import { projectionSpec } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { plans, regions, stock } from "./catalogue.projections.ts";
import { allStored, examples, stored } from "./server-subscription.fixture.ts";

const all = Object.values(examples);
const plan = { id: 2, title: "S", cores: 2, memory_gb: 4, storage_gb: 40, price_cents: 999, retired: 0 };
const region = { id: 3, code: "nbg", location: "Nuremberg" };
const units = (count: number) => ({ stock: [{ plan_id: 2, region_id: 3, units: count }] });

describe("plans", () => {
  const { PlanAdded, PlanEdited, PlanPriceAnnounced, PlanRetired } = examples;
  const changing = new Set<string>([
    PlanAdded.type,
    PlanEdited.type,
    PlanPriceAnnounced.type,
    PlanRetired.type,
  ]);

  test.each(all.filter(({ type }) => !changing.has(type)))("$type leaves them unchanged", (event) => {
    projectionSpec(plans)
      .given(stored(examples.PlanAdded))
      .when(stored(event))
      .then({ plans: [plan] });
  });

  test("PlanAdded", () => {
    projectionSpec(plans)
      .when(stored(examples.PlanAdded))
      .then({ plans: [plan] });
  });

  test("PlanEdited", () => {
    projectionSpec(plans)
      .given(stored(PlanAdded))
      .when(stored(PlanEdited))
      .then({ plans: [{ ...plan, title: "S+", price_cents: 1_099 }] });
  });

  test("PlanPriceAnnounced, and PlanEdited behind it", () => {
    const announced = [{ id: 2, announced_cents: 1_299, valid_from: "2027-01-01T00:00:00.000000Z" }];
    projectionSpec(plans)
      .given(stored(PlanAdded))
      .when(stored(PlanPriceAnnounced))
      .then({ plans: [plan], announced_plan_prices: announced });
    projectionSpec(plans)
      .given(stored(PlanAdded), stored(PlanPriceAnnounced))
      .when(stored(PlanEdited))
      .then({ plans: [{ ...plan, title: "S+", price_cents: 1_099 }] });
  });

  test("PlanRetired", () => {
    projectionSpec(plans)
      .given(stored(PlanAdded))
      .when(stored(PlanRetired))
      .then({ plans: [{ ...plan, retired: 1 }] });
  });
});

describe("regions", () => {
  test.each(all.filter(({ type }) => type !== "RegionAdded"))("$type leaves them unchanged", (event) => {
    projectionSpec(regions)
      .given(stored(examples.RegionAdded))
      .when(stored(event))
      .then({ regions: [region] });
  });

  test("RegionAdded", () => {
    projectionSpec(regions)
      .when(stored(examples.RegionAdded))
      .then({ regions: [region] });
  });
});

describe("stock", () => {
  const { StockSet, StockUnitReserved, StockUnitReturned } = examples;
  const changing = new Set<string>([StockSet.type, StockUnitReserved.type, StockUnitReturned.type]);

  test.each(all.filter(({ type }) => !changing.has(type)))("$type leaves it unchanged", (event) => {
    projectionSpec(stock).given(stored(StockSet)).when(stored(event)).then(units(2));
  });

  test("StockSet, and again", () => {
    projectionSpec(stock).when(stored(StockSet)).then(units(2));
    const counted = { ...StockSet, data: { ...StockSet.data, units: 0 } };
    projectionSpec(stock).given(stored(StockSet)).when(stored(counted)).then(units(0));
  });

  test("StockUnitReserved", () => {
    projectionSpec(stock).given(stored(StockSet)).when(stored(StockUnitReserved)).then(units(1));
  });

  test("StockUnitReturned", () => {
    projectionSpec(stock)
      .given(...allStored([StockSet, StockUnitReserved]))
      .when(stored(StockUnitReturned))
      .then(units(2));
  });

  it("ignores the rest by name", () => {
    const handled = Object.entries(stock.handlers).filter(([, handler]) => handler !== "ignored");
    expect(handled.map(([type]) => type).sort()).toEqual([...changing].sort());
  });
});
