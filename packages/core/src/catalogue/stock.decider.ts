import { Map as PersistentMap } from "immutable";

import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import type { StockCommand } from "./catalogue.commands.ts";
import type { StockEvent } from "./catalogue.events.ts";

/** The units of a plan in a region, with every order that reserved a unit, because runs may repeat their orders. */
export interface StockState {
  /** `uncounted` until staff count the units; the stock is empty until then. */
  readonly status: "uncounted" | "counted";
  readonly units: number;
  /** Orders that reserved a unit, and whether they returned it. */
  readonly orders: PersistentMap<string, "reserved" | "returned">;
}

/** Approximate memory of an order in bytes. */
const bytesOfOrder = 200;

/** Returns the approximate memory in bytes that grows with the orders. */
export function bytesOfStock({ orders }: StockState): number {
  return orders.size * bytesOfOrder;
}

export const stockLimit = 1_000_000;

/** Rules of a plan's units in a region (stream `stock-<plan>-<region>`). A unit is never sold or returned twice. */
export const stock: Decider<StockCommand, StockState, StockEvent> = {
  initialState: { status: "uncounted", units: 0, orders: PersistentMap() },
  decide,
  evolve,
};

function decide(command: StockCommand, state: StockState): Decision<StockEvent> {
  const { planId, regionId, at } = command.data;
  switch (command.type) {
    case "SetStock": {
      const { units } = command.data;
      if (!Number.isInteger(units) || units < 0 || units > stockLimit) {
        return reject("validation-failed", "The number of units is out of range.", {
          fieldErrors: { units: [`must be a whole number from 0 to ${String(stockLimit)}`] },
        });
      }
      if (state.status === "counted" && units === state.units) return accept();
      return accept({ type: "StockSet", data: { planId, regionId, units, setAt: at } });
    }
    case "ReserveStockUnit": {
      const { orderId } = command.data;
      const known = state.orders.get(orderId);
      if (known === "reserved") return accept();
      // An order that returned its unit has ended and cannot start again.
      if (known === "returned") return reject("order-not-found");
      if (state.units === 0) return reject("out-of-stock");
      const unitsLeft = state.units - 1;
      return accept({
        type: "StockUnitReserved",
        data: { planId, regionId, orderId, unitsLeft, reservedAt: at },
      });
    }
    case "ReturnStockUnit": {
      const { orderId } = command.data;
      if (state.orders.get(orderId) !== "reserved") return accept();
      const unitsLeft = state.units + 1;
      return accept({
        type: "StockUnitReturned",
        data: { planId, regionId, orderId, unitsLeft, returnedAt: at },
      });
    }
    default:
      return assertNever(command);
  }
}

/** Applies an event; its number of units reveals lost events. @throws CorruptStreamError if the number is wrong. */
function evolve(state: StockState, event: StockEvent): StockState {
  switch (event.type) {
    case "StockSet":
      return { ...state, status: "counted", units: event.data.units };
    case "StockUnitReserved": {
      const { orderId, unitsLeft } = event.data;
      if (unitsLeft !== state.units - 1 || unitsLeft < 0 || state.orders.has(orderId))
        throw new CorruptStreamError(event.type, unitsOf(state));
      return { ...state, units: unitsLeft, orders: state.orders.set(orderId, "reserved") };
    }
    case "StockUnitReturned": {
      const { orderId, unitsLeft } = event.data;
      if (unitsLeft !== state.units + 1 || state.orders.get(orderId) !== "reserved")
        throw new CorruptStreamError(event.type, unitsOf(state));
      return { ...state, units: unitsLeft, orders: state.orders.set(orderId, "returned") };
    }
    default:
      return assertNever(event);
  }
}

function unitsOf({ units }: StockState): string {
  return `${String(units)} units`;
}
