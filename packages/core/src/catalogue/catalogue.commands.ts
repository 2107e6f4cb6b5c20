import type { Command } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";

/** What a plan's servers have, and what a month of one costs. */
export interface PlanTerms {
  readonly title: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly storageGb: number;
  /** Gross price of a month in cents (EUR). */
  readonly monthGrossCents: Cents;
}

/** Puts a plan on offer. */
export type AddPlan = Command<"AddPlan", PlanTerms & { readonly planId: number }>;

/** Changes what is sold as a plan from now on; what is left out stays as it is. */
export type EditPlan = Command<"EditPlan", Partial<PlanTerms>>;

/** Announces another price of a plan; what was announced before and is not in force yet is withdrawn. */
export type AnnouncePlanPrice = Command<
  "AnnouncePlanPrice",
  Pick<PlanTerms, "monthGrossCents"> & {
    /** An instant: from then on it is in force. */
    readonly validFrom: string;
  }
>;

/** Ends the sale of a plan for good. */
export type RetirePlan = Command<"RetirePlan", { readonly reason: string }>;

/** Everything that can be asked of a plan. */
export type PlanCommand = AddPlan | EditPlan | AnnouncePlanPrice | RetirePlan;

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
