/** What can be ordered (streams `plan-<id>`, `region-<id>`) and how much of it there is (`stock-<plan>-<region>`). */

/** A plan is on offer. */
export interface PlanAdded {
  readonly type: "PlanAdded";
  readonly data: {
    readonly planId: number;
    readonly title: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly storageGb: number;
    /** Gross price of a month in cents (EUR). */
    readonly monthGrossCents: string;
    readonly addedAt: string;
  };
}

/** Servers can be placed in a region. */
export interface RegionAdded {
  readonly type: "RegionAdded";
  readonly data: {
    readonly regionId: number;
    readonly code: string;
    readonly location: string;
    readonly addedAt: string;
  };
}

/** Staff counted the units that can be ordered. */
export interface StockSet {
  readonly type: "StockSet";
  readonly data: {
    readonly planId: number;
    readonly regionId: number;
    readonly units: number;
    readonly setAt: string;
  };
}

/** One unit was taken for an order. */
export interface StockUnitReserved {
  readonly type: "StockUnitReserved";
  readonly data: {
    readonly planId: number;
    readonly regionId: number;
    readonly orderId: string;
    readonly unitsLeft: number;
    readonly reservedAt: string;
  };
}

/** The order ended without a server: its unit can be ordered again. */
export interface StockUnitReturned {
  readonly type: "StockUnitReturned";
  readonly data: {
    readonly planId: number;
    readonly regionId: number;
    readonly orderId: string;
    readonly unitsLeft: number;
    readonly returnedAt: string;
  };
}

/** Everything that happens to a plan. */
export type PlanEvent = PlanAdded;

/** Everything that happens to a region. */
export type RegionEvent = RegionAdded;

/** Everything that happens to the units of a plan in a region. */
export type StockEvent = StockSet | StockUnitReserved | StockUnitReturned;
