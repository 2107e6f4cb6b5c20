import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import { parseName } from "../kernel/values.ts";
import { formatEuros } from "../money/money.ts";
import type { AddPlan, EditPlan, PlanCommand, PlanTerms } from "./catalogue.commands.ts";
import type { PlanEvent } from "./catalogue.events.ts";

/** A plan that is sold, or was. */
export interface Plan extends PlanTerms {
  readonly planId: number;
}

/** A plan: not there, on offer, or retired. */
export type PlanState =
  | { readonly status: "absent" }
  | ({ readonly status: "offered" } & Plan)
  | ({ readonly status: "retired" } & Plan);

const planTermNames = ["title", "cores", "memoryGb", "storageGb", "monthGrossCents"] as const;

/** The most of each that a plan has; a year of the dearest one is far below what an account may be charged at once. */
export const planLimits = {
  title: 100,
  cores: 1_024,
  memoryGb: 65_536,
  storageGb: 1_048_576,
  monthGrossCents: 1_000_000_000n,
} as const;

/** A plan (stream `plan-<id>`): what a server has, and what a month of it costs. */
export const plan: Decider<PlanCommand, PlanState, PlanEvent> = {
  initialState: { status: "absent" },
  decide,
  evolve,
};

function decide(command: PlanCommand, state: PlanState): Decision<PlanEvent> {
  switch (command.type) {
    case "AddPlan":
      return addPlan(command, state);
    case "EditPlan":
      return editPlan(command, state);
    case "RetirePlan": {
      if (state.status === "absent") return reject("plan-not-found");
      if (state.status === "retired") return accept();
      const { reason, at } = command.data;
      return accept({ type: "PlanRetired", data: { planId: state.planId, reason, retiredAt: at } });
    }
    default:
      return assertNever(command);
  }
}

function addPlan({ data: { planId, at, ...terms } }: AddPlan, state: PlanState): Decision<PlanEvent> {
  // The stream is the id's own, and ids are given once: a plan that is there was added by this very command.
  if (state.status !== "absent") return accept();
  return (
    refusalOf(terms) ?? accept({ type: "PlanAdded", data: { planId, ...storedTerms(terms), addedAt: at } })
  );
}

function editPlan({ data: { at, ...changes } }: EditPlan, state: PlanState): Decision<PlanEvent> {
  if (state.status === "absent") return reject("plan-not-found");
  if (state.status === "retired")
    return reject("plan-not-found", "The plan is retired: it is not sold any more.");
  const { planId, status: _offered, ...before } = state;
  const terms = { ...before, ...changes };
  const refusal = refusalOf(terms);
  if (refusal !== undefined) return refusal;
  const [was, is] = [storedTerms(before), storedTerms(terms)];
  if (planTermNames.every((name) => was[name] === is[name])) return accept();
  return accept({ type: "PlanEdited", data: { planId, ...is, editedAt: at } });
}

/** The terms as facts have them. */
function storedTerms({ title, cores, memoryGb, storageGb, monthGrossCents }: PlanTerms) {
  return { title: title.trim(), cores, memoryGb, storageGb, monthGrossCents: String(monthGrossCents) };
}

/** Why these terms cannot be sold; undefined where they can. */
function refusalOf(terms: PlanTerms): Decision<never> | undefined {
  const fieldErrors = errorsOf(terms);
  if (Object.keys(fieldErrors).length === 0) return undefined;
  return reject("validation-failed", "The plan is out of range.", { fieldErrors });
}

function errorsOf(data: PlanTerms): Readonly<Record<string, readonly string[]>> {
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
  switch (event.type) {
    case "PlanAdded":
    case "PlanEdited": {
      if (state.status !== (event.type === "PlanAdded" ? "absent" : "offered"))
        throw new CorruptStreamError(event.type, state.status);
      const { planId, title, cores, memoryGb, storageGb, monthGrossCents } = event.data;
      const terms = { title, cores, memoryGb, storageGb, monthGrossCents: BigInt(monthGrossCents) };
      return { status: "offered", planId, ...terms };
    }
    case "PlanRetired":
      if (state.status !== "offered") throw new CorruptStreamError(event.type, state.status);
      return { ...state, status: "retired" };
    default:
      return assertNever(event);
  }
}
