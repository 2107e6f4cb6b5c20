import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decider, type Decision } from "../kernel/decider.ts";
import { parseName } from "../kernel/values.ts";
import { formatEuros, type Cents } from "../money/money.ts";
import { refuseAnnouncement } from "../pricing/announcement.ts";
import type { AddPlan, AnnouncePlanPrice, EditPlan, PlanCommand, PlanTerms } from "./catalogue.commands.ts";
import type { PlanEvent } from "./catalogue.events.ts";

export interface Plan extends PlanTerms {
  readonly planId: number;
  /** An announced price that is not in force yet; null if there is none. */
  readonly announced: AnnouncedPlanPrice | null;
}

export interface AnnouncedPlanPrice {
  readonly monthGrossCents: Cents;
  readonly validFrom: string;
}

export type PlanState =
  | { readonly status: "absent" }
  | ({ readonly status: "offered" } & Plan)
  | ({ readonly status: "retired" } & Plan);

const planTermNames = ["title", "cores", "memoryGb", "storageGb", "monthGrossCents"] as const;

/** Maximum values of a plan. A year at the highest price is far below the largest charge of an account. */
export const planLimits = {
  title: 100,
  cores: 1_024,
  memoryGb: 65_536,
  storageGb: 1_048_576,
  monthGrossCents: 1_000_000_000n,
} as const;

/** Rules of a plan (stream `plan-<id>`). */
export const plan: Decider<PlanCommand, PlanState, PlanEvent> = {
  initialState: { status: "absent" },
  decide,
  evolve,
};

/** Returns the plan with the price in force at an instant, which may be the announced price. */
export function planAt<State extends PlanState>(state: State, at: string): State {
  if (state.status === "absent" || state.announced === null || state.announced.validFrom > at) return state;
  return { ...state, monthGrossCents: state.announced.monthGrossCents, announced: null };
}

function decide(command: PlanCommand, state: PlanState): Decision<PlanEvent> {
  switch (command.type) {
    case "AddPlan":
      return addPlan(command, state);
    case "EditPlan":
      return editPlan(command, state);
    case "AnnouncePlanPrice":
      return announcePrice(command, state);
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
  // Ids are never reused, so only a repeat of this command finds the plan.
  if (state.status !== "absent") return accept();
  return (
    refusalOf(terms) ?? accept({ type: "PlanAdded", data: { planId, ...storedTerms(terms), addedAt: at } })
  );
}

/** Edits a plan. A new price cancels the announced price; without a new price, the announcement stays. */
function editPlan({ data: { at, ...changes } }: EditPlan, state: PlanState): Decision<PlanEvent> {
  if (state.status !== "offered") return refuseUnsold(state);
  const { planId, announced, ...before } = planAt(state, at);
  const terms = { ...before, ...changes };
  const refusal = refusalOf(terms);
  if (refusal !== undefined) return refusal;
  const [was, is] = [storedTerms(before), storedTerms(terms)];
  const isWithdrawn = announced !== null && changes.monthGrossCents !== undefined;
  if (!isWithdrawn && planTermNames.every((name) => was[name] === is[name])) return accept();
  const kept = announced === null || isWithdrawn ? [] : [priceAnnounced(planId, announced, at)];
  return accept({ type: "PlanEdited", data: { planId, ...is, editedAt: at } }, ...kept);
}

/** Announces a price. First sets an announced price that is already in force, because there is one announcement. */
function announcePrice(
  { data: { monthGrossCents, validFrom, at } }: AnnouncePlanPrice,
  state: PlanState,
): Decision<PlanEvent> {
  if (state.status !== "offered") return refuseUnsold(state);
  const { planId, announced } = state;
  const inForce = planAt(state, at);
  const refusal = refusalOf({ ...state, monthGrossCents }) ?? refuseAnnouncement(validFrom, at);
  if (refusal !== undefined) return refusal;
  if (announced?.validFrom === validFrom && announced.monthGrossCents === monthGrossCents) return accept();
  const set: PlanEvent = {
    type: "PlanEdited",
    data: { planId, ...storedTerms(inForce), editedAt: at },
  };
  return accept(
    ...(inForce === state ? [] : [set]),
    priceAnnounced(planId, { monthGrossCents, validFrom }, at),
  );
}

function priceAnnounced(
  planId: number,
  { monthGrossCents, validFrom }: AnnouncedPlanPrice,
  announcedAt: string,
): PlanEvent {
  return {
    type: "PlanPriceAnnounced",
    data: { planId, monthGrossCents: String(monthGrossCents), validFrom, announcedAt },
  };
}

function refuseUnsold({ status }: PlanState): Decision<never> {
  return status === "absent"
    ? reject("plan-not-found")
    : reject("plan-not-found", "The plan is retired: it is not sold any more.");
}

function storedTerms({ title, cores, memoryGb, storageGb, monthGrossCents }: PlanTerms) {
  return { title: title.trim(), cores, memoryGb, storageGb, monthGrossCents: String(monthGrossCents) };
}

/** Returns the rejection of invalid terms; undefined if they are valid. */
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
      return { status: "offered", planId, ...terms, announced: null };
    }
    case "PlanPriceAnnounced": {
      if (state.status !== "offered") throw new CorruptStreamError(event.type, state.status);
      const { monthGrossCents, validFrom } = event.data;
      return { ...state, announced: { monthGrossCents: BigInt(monthGrossCents), validFrom } };
    }
    case "PlanRetired":
      if (state.status !== "offered") throw new CorruptStreamError(event.type, state.status);
      return { ...state, status: "retired" };
    default:
      return assertNever(event);
  }
}
