import type { Command } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";

/** Puts a plan on offer. */
export type AddPlan = Command<
  "AddPlan",
  {
    readonly planId: number;
    readonly title: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly storageGb: number;
    /** Gross price of a month in cents (EUR). */
    readonly monthGrossCents: Cents;
  }
>;

/** Adds a region in which servers can be placed. */
export type AddRegion = Command<
  "AddRegion",
  {
    readonly regionId: number;
    readonly code: string;
    readonly location: string;
  }
>;

/** The plan and the region whose units are meant. */
export interface StockKey {
  readonly planId: number;
  readonly regionId: number;
}

/** Sets how many units can be ordered from now on; units that orders have taken are not counted. */
export type SetStock = Command<"SetStock", StockKey & { readonly units: number }>;

/** Takes a unit for an order; the same order twice takes one. */
export type ReserveStockUnit = Command<"ReserveStockUnit", StockKey & { readonly orderId: string }>;

/** Gives back the unit of an order that ended without a server; one that has none gives back none. */
export type ReturnStockUnit = Command<"ReturnStockUnit", StockKey & { readonly orderId: string }>;

/** Everything that can be asked of the units of a plan in a region. */
export type StockCommand = SetStock | ReserveStockUnit | ReturnStockUnit;
