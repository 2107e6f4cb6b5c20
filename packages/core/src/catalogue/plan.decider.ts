import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import { parseName } from "../kernel/values.ts";
import { formatEuros, type Cents } from "../money/money.ts";
import type { AddPlan } from "./catalogue.commands.ts";
import type { PlanEvent } from "./catalogue.events.ts";

/** A plan on offer. */
export interface Plan {
  readonly planId: number;
  readonly title: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly storageGb: number;
  /** Gross price of a month in cents (EUR). */
  readonly monthGrossCents: Cents;
}

/** A plan: not there, or on offer. */
export type PlanState = { readonly status: "absent" } | ({ readonly status: "offered" } & Plan);

/** The most of each that a plan has; a year of the dearest one is far below what an account may be charged at once. */
export const planLimits = {
  title: 100,
  cores: 1_024,
  memoryGb: 65_536,
  storageGb: 1_048_576,
  monthGrossCents: 1_000_000_000n,
} as const;

/** A plan (stream `plan-<id>`): what a server has, and what a month of it costs. */
export const plan: Decider<AddPlan, PlanState, PlanEvent> = {
  initialState: { status: "absent" },
  decide,
  evolve,
};

function decide({ data }: AddPlan, state: PlanState): Decision<PlanEvent> {
  const { planId, title, cores, memoryGb, storageGb, monthGrossCents, at } = data;
  // The stream is the id's own, and ids are given once: a plan that is there was added by this very command.
  if (state.status === "offered") return accept();
  const fieldErrors = errorsOf(data);
  if (Object.keys(fieldErrors).length > 0)
    return reject("validation-failed", "The plan is out of range.", { fieldErrors });
  return accept({
    type: "PlanAdded",
    data: {
      planId,
      title: title.trim(),
      cores,
      memoryGb,
      storageGb,
      monthGrossCents: String(monthGrossCents),
      addedAt: at,
    },
  });
}

function errorsOf(data: AddPlan["data"]): Readonly<Record<string, readonly string[]>> {
  const title = parseName(data.title, planLimits.title);
  const { monthGrossCents } = planLimits;
  return {
    ...(title.ok ? {} : { title: [title.error] }),
    ...outOfRange("cores", data.cores, planLimits.cores),
    ...outOfRange("memory", data.memoryGb, planLimits.memoryGb),
    ...outOfRange("storage", data.storageGb, planLimits.storageGb),
    ...(data.monthGrossCents >= 0n && data.monthGrossCents <= monthGrossCents
      ? {}
      : { price: [`must not be negative, and at most ${formatEuros(monthGrossCents)}`] }),
  };
}

function outOfRange(field: string, value: number, most: number): Readonly<Record<string, readonly string[]>> {
  return Number.isInteger(value) && value >= 1 && value <= most
    ? {}
    : { [field]: [`must be a whole number from 1 to ${String(most)}`] };
}

function evolve(state: PlanState, event: PlanEvent): PlanState {
  if (state.status !== "absent") throw new CorruptStreamError(event.type, state.status);
  const { planId, title, cores, memoryGb, storageGb, monthGrossCents } = event.data;
  return {
    status: "offered",
    planId,
    title,
    cores,
    memoryGb,
    storageGb,
    monthGrossCents: BigInt(monthGrossCents),
  };
}
