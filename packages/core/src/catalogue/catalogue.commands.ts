import type { Command } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";

/** A plan's resources and monthly price. */
export interface PlanTerms {
  readonly title: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly storageGb: number;
  /** Gross price of a month in cents (EUR). */
  readonly monthGrossCents: Cents;
}

export type AddPlan = Command<"AddPlan", PlanTerms & { readonly planId: number }>;

/** Changes the offered terms; omitted terms stay unchanged. */
export type EditPlan = Command<"EditPlan", Partial<PlanTerms>>;

/** Announces a new price of a plan and replaces an announced price that is not in force yet. */
export type AnnouncePlanPrice = Command<
  "AnnouncePlanPrice",
  Pick<PlanTerms, "monthGrossCents"> & {
    readonly validFrom: string;
  }
>;

/** Ends the sale of a plan for ever. */
export type RetirePlan = Command<"RetirePlan", { readonly reason: string }>;

export type PlanCommand = AddPlan | EditPlan | AnnouncePlanPrice | RetirePlan;

export type AddRegion = Command<
  "AddRegion",
  {
    readonly regionId: number;
    readonly code: string;
    readonly location: string;
  }
>;

/** A plan and a region, whose units are counted together. */
export interface StockKey {
  readonly planId: number;
  readonly regionId: number;
}

/** Sets the number of available units; reserved units are not included. */
export type SetStock = Command<"SetStock", StockKey & { readonly units: number }>;

/** Reserves a unit for an order; repeating the order reserves no second unit. */
export type ReserveStockUnit = Command<"ReserveStockUnit", StockKey & { readonly orderId: string }>;

/** Returns the unit of an order that ended without a server. Without a reserved unit, nothing changes. */
export type ReturnStockUnit = Command<"ReturnStockUnit", StockKey & { readonly orderId: string }>;

export type StockCommand = SetStock | ReserveStockUnit | ReturnStockUnit;
