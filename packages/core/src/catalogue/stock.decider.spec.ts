import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import type { StockCommand } from "./catalogue.commands.ts";
import type { StockEvent } from "./catalogue.events.ts";
import { at, commands, samples } from "./catalogue.fixture.ts";
import { stockCodec } from "./catalogue.events.ts";
import { stock, stockLimit, type StockState } from "./stock.decider.ts";

const spec = deciderSpec(stock);
const key = { planId: 2, regionId: 3 } as const;
const { StockSet: set, StockUnitReserved: reserved, StockUnitReturned: returned } = samples;

const setUnits = (units: number): StockCommand => ({ type: "SetStock", data: { ...key, units, at } });
const unitsSet = (units: number): StockEvent => ({ type: "StockSet", data: { ...key, units, setAt: at } });
const reserve = (orderId: string): StockCommand => ({
  type: "ReserveStockUnit",
  data: { ...key, orderId, at },
});
const giveBack = (orderId: string): StockCommand => ({
  type: "ReturnStockUnit",
  data: { ...key, orderId, at },
});
const taken = (orderId: string, unitsLeft: number): StockEvent => ({
  type: "StockUnitReserved",
  data: { ...key, orderId, unitsLeft, reservedAt: at },
});

function fold(history: readonly StockEvent[]): StockState {
  return history.reduce(stock.evolve, stock.initialState);
}

describe("the units of a plan in a region", () => {
  it("are set, and set again", () => {
    spec.given().when(commands.SetStock).then(set);
    spec.given(set).when(setUnits(7)).then(unitsSet(7));
    spec.given(set).when(setUnits(0)).then(unitsSet(0));
  });

  it("add no event if they are unchanged", () => {
    spec.given(set).when(commands.SetStock).thenNothing();
  });

  it("may be zero, which differs from unset", () => {
    spec.given().when(setUnits(0)).then(unitsSet(0));
    expect([stock.initialState.status, fold([unitsSet(0)]).status]).toEqual(["uncounted", "counted"]);
  });

  it("may be a million", () => {
    spec.given().when(setUnits(stockLimit)).then(unitsSet(1_000_000));
  });

  it.each([-1, 1_000_001, 1.5, Number.NaN])("are not %s", (units) => {
    spec
      .given()
      .when(setUnits(units))
      .thenRejected("validation-failed", {
        fieldErrors: { units: ["must be a whole number from 0 to 1000000"] },
      });
  });

  it("set while orders have reserved some count the units that can still be ordered", () => {
    const held = [set, reserved, unitsSet(5)];
    spec
      .given(...held)
      .when(reserve("o-2"))
      .then(taken("o-2", 4));
    spec
      .given(...held)
      .when(giveBack("o-1"))
      .then({ type: "StockUnitReturned", data: { ...returned.data, unitsLeft: 6 } });
  });
});

describe("a unit", () => {
  it("is reserved for an order, once", () => {
    spec.given(set).when(commands.ReserveStockUnit).then(reserved);
    spec.given(set, reserved).when(commands.ReserveStockUnit).thenNothing();
  });

  it("cannot be reserved if none is left or none was ever set", () => {
    spec.given(set, reserved, taken("o-2", 0)).when(reserve("o-3")).thenRejected("out-of-stock");
    spec.given(unitsSet(0)).when(reserve("o-1")).thenRejected("out-of-stock");
    spec.given().when(reserve("o-1")).thenRejected("out-of-stock");
  });

  it("stays with its order when no others are left", () => {
    spec.given(set, reserved, taken("o-2", 0)).when(commands.ReserveStockUnit).thenNothing();
    spec.given(set, reserved, unitsSet(0)).when(commands.ReserveStockUnit).thenNothing();
  });

  it("is returned once", () => {
    spec.given(set, reserved).when(commands.ReturnStockUnit).then(returned);
    spec.given(set, reserved, returned).when(commands.ReturnStockUnit).thenNothing();
  });

  it("is returned to an empty region and can be ordered again", () => {
    const last = [unitsSet(1), taken("o-1", 0)];
    const back: StockEvent = { type: "StockUnitReturned", data: { ...returned.data, unitsLeft: 1 } };
    spec
      .given(...last)
      .when(commands.ReturnStockUnit)
      .then(back);
    spec
      .given(...last, back)
      .when(reserve("o-2"))
      .then(taken("o-2", 0));
  });

  it("cannot be returned by an order that never had one", () => {
    spec.given(set).when(commands.ReturnStockUnit).thenNothing();
    spec.given().when(commands.ReturnStockUnit).thenNothing();
  });

  it("is not reserved again by an order that returned one", () => {
    spec.given(set, reserved, returned).when(commands.ReserveStockUnit).thenRejected("order-not-found");
  });
});

describe("a stream of units", () => {
  it.each<readonly [string, readonly StockEvent[]]>([
    ["a reservation without units", [unitsSet(0), taken("o-1", 0)]],
    ["units below zero", [unitsSet(0), taken("o-1", -1)]],
    ["a lost reservation", [set, taken("o-2", 0)]],
    ["a second reservation of one order", [set, reserved, taken("o-1", 0)]],
    ["a return of nothing", [set, { type: "StockUnitReturned", data: { ...returned.data, unitsLeft: 3 } }]],
    ["a second return", [set, reserved, returned, { ...returned, data: { ...returned.data, unitsLeft: 3 } }]],
    ["a return that adds two", [set, reserved, { ...returned, data: { ...returned.data, unitsLeft: 3 } }]],
  ])("is corrupt with %s", (_, history) => {
    expect(() => fold(history)).toThrow(CorruptStreamError);
  });
});

describe("the laws of stock", () => {
  const anyOrder = fc.constantFrom("o-1", "o-2", "o-3", "o-4");
  const anyCommand: fc.Arbitrary<StockCommand> = fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 4 }).map(setUnits) },
    { weight: 4, arbitrary: anyOrder.map(reserve) },
    { weight: 3, arbitrary: anyOrder.map(giveBack) },
  );

  test("units are never below zero, and equal the last count, less reserved, plus returned units", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 60 }), (scenario) => {
        let state = stock.initialState;
        let units = 0;
        const holders = new Set<string>();
        for (const command of scenario) {
          const before = state;
          const decision = stock.decide(command, state);
          if (!decision.accepted) continue;
          state = decision.events.reduce(stock.evolve, state);
          for (const { type, data } of decision.events) {
            if (type === "StockSet") units = data.units;
            if (type === "StockUnitReserved") {
              expect(holders.has(data.orderId)).toBe(false);
              holders.add(data.orderId);
              units -= 1;
            }
            if (type === "StockUnitReturned") {
              expect(holders.delete(data.orderId)).toBe(true);
              units += 1;
            }
            expect(stockCodec.decode(stockCodec.storedType(type), JSON.stringify(data))).toEqual({
              type,
              data,
            });
          }
          expect(units).toBeGreaterThanOrEqual(0);
          expect(state.units).toBe(units);
          // Repeating the command adds nothing, and deciding did not change the state.
          expect(stock.decide(command, state)).toEqual({ accepted: true, events: [] });
          expect(stock.decide(command, before)).toEqual(decision);
        }
      }),
    );
  });

  test("of many orders for few units, just as many succeed", () => {
    const requests = Array.from({ length: 200 }, (_, index) => reserve(`o-${String(index)}`));
    let state = fold([unitsSet(50)]);
    let refused = 0;
    for (const requested of requests) {
      const decision = stock.decide(requested, state);
      if (decision.accepted) state = decision.events.reduce(stock.evolve, state);
      else refused += 1;
    }
    expect([state.units, refused]).toEqual([0, 150]);
  });
});
