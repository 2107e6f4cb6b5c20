import type { Cents } from "../money/money.ts";

/** Puts a plan on offer. */
export interface AddPlan {
  readonly type: "AddPlan";
  readonly data: {
    readonly planId: number;
    readonly title: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly storageGb: number;
    /** Gross price of a month in cents (EUR). */
    readonly monthGrossCents: Cents;
    readonly at: string;
  };
}

/** Adds a region in which servers can be placed. */
export interface AddRegion {
  readonly type: "AddRegion";
  readonly data: {
    readonly regionId: number;
    readonly code: string;
    readonly location: string;
    readonly at: string;
  };
}

/** The plan and the region whose units are meant. */
export interface StockKey {
  readonly planId: number;
  readonly regionId: number;
}

/** Sets how many units can be ordered from now on; units that orders have taken are not counted. */
export interface SetStock {
  readonly type: "SetStock";
  readonly data: StockKey & { readonly units: number; readonly at: string };
}

/** Takes a unit for an order; the same order twice takes one. */
export interface ReserveStockUnit {
  readonly type: "ReserveStockUnit";
  readonly data: StockKey & { readonly orderId: string; readonly at: string };
}

/** Gives back the unit of an order that ended without a server; one that has none gives back none. */
export interface ReturnStockUnit {
  readonly type: "ReturnStockUnit";
  readonly data: StockKey & { readonly orderId: string; readonly at: string };
}

/** Everything that can be asked of the units of a plan in a region. */
export type StockCommand = SetStock | ReserveStockUnit | ReturnStockUnit;
