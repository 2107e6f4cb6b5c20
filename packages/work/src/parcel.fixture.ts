import { UndecodableEventError, type DomainEvent, type EventCodec, type Process } from "@hostledger/core";

import type { NextStep, RunContext, ProcessDefinition } from "./process-definition.ts";

/**
 * The smallest process that has every kind of step, for specs: a parcel is packed by us (`send`), shipped by a carrier
 * (`call`), and its price returned when the carrier loses it (`compensate`). What fails again and again waits for staff.
 */

/** Maximum wait for the carrier, in milliseconds. */
export const longestParcelPauseMs = 2 * 86_400_000;

const events = [
  "ParcelAccepted",
  "ParcelPacked",
  "ParcelDelayed",
  "ParcelTakenOver",
  "ParcelShipped",
  "ParcelLost",
  "ParcelRefunded",
  "ParcelParked",
  "ParcelUnparked",
] as const;

type AnyParcelEvent = (typeof events)[number];

export interface ParcelEvent extends DomainEvent {
  readonly type: AnyParcelEvent;
  /** `until`: when a delayed parcel is offered to the carrier again. */
  readonly data: { readonly until?: string; readonly reason?: string };
}

export interface ParcelInput {
  readonly type:
    | "accepted"
    | "packed"
    | "delayed"
    | "shipped"
    | "lost"
    | "refunded"
    | "resumed"
    | "failed"
    | "retried"
    /** Meets a bug in the process. */
    | "broken";
  readonly until?: string;
  readonly reason?: string;
}

type Step =
  | { readonly status: "new" | "packing" | "refunding" | "shipped" | "refunded" }
  | { readonly status: "shipping"; readonly notBefore?: string | undefined };

export type ParcelState = Step | { readonly status: "parked"; readonly step: Step };

const decisions: Readonly<
  Record<ParcelState["status"], Partial<Record<ParcelInput["type"], AnyParcelEvent>>>
> = {
  new: { accepted: "ParcelAccepted" },
  packing: { packed: "ParcelPacked", failed: "ParcelParked" },
  shipping: {
    delayed: "ParcelDelayed",
    shipped: "ParcelShipped",
    lost: "ParcelLost",
    resumed: "ParcelTakenOver",
    failed: "ParcelParked",
  },
  refunding: { refunded: "ParcelRefunded", failed: "ParcelParked" },
  parked: { retried: "ParcelUnparked" },
  shipped: {},
  refunded: {},
};

function decide({ type, ...data }: ParcelInput, state: ParcelState): readonly ParcelEvent[] {
  if (type === "broken") throw new Error("a bug in decide");
  const event = decisions[state.status][type];
  return event === undefined ? [] : [{ type: event, data }];
}

function evolve(state: ParcelState, { type, data }: ParcelEvent): ParcelState {
  switch (type) {
    case "ParcelAccepted":
      return { status: "packing" };
    case "ParcelPacked":
    case "ParcelTakenOver":
      return { status: "shipping" };
    case "ParcelDelayed":
      return { status: "shipping", notBefore: data.until };
    case "ParcelShipped":
      return { status: "shipped" };
    case "ParcelLost":
      return { status: "refunding" };
    case "ParcelRefunded":
      return { status: "refunded" };
    case "ParcelParked":
      return state.status === "parked" ? state : { status: "parked", step: state };
    case "ParcelUnparked":
      return state.status === "parked" ? state.step : state;
  }
}

const parcel: Process<ParcelState, ParcelInput, ParcelEvent> = {
  category: "parcel",
  initialState: { status: "new" },
  decide,
  evolve,
};

/** Written by hand, since only core's own events have schemas. */
const codec: EventCodec<ParcelEvent> = {
  versions: new Map(),
  storedType: (type) => `${type}.v1`,
  openData: ({ data }) => data,
  knows: (storedType) => events.some((event) => storedType === `${event}.v1`),
  decode(storedType, text) {
    const type = events.find((event) => storedType === `${event}.v1`);
    const data: unknown = JSON.parse(text);
    if (type === undefined || typeof data !== "object" || data === null)
      throw new UndecodableEventError(`${storedType} is no event of a parcel`);
    return { type, data };
  },
};

/** Carries out a parcel's steps; a spec defines the result of each step. */
export interface ParcelEffects {
  pack(context: RunContext): Promise<ParcelInput>;
  ship(): Promise<ParcelInput>;
  refund(): Promise<ParcelInput>;
}

/** A parcel's process with these effects. @param isFirst packing proves that no carrier was called before. */
export function parcelDefinition(
  effects: ParcelEffects,
  isFirst = false,
): ProcessDefinition<ParcelState, ParcelInput, ParcelEvent> {
  return {
    process: parcel,
    codec,
    next(state, _runId, context) {
      const step = nextStep(effects, state, context);
      return step.kind === "call" ? { ...step, isFirst: isFirst && step.notBefore === undefined } : step;
    },
    resumed: () => ({ type: "resumed" }),
    failed: (reason) => ({ type: "failed", reason }),
  };
}

function nextStep(effects: ParcelEffects, state: ParcelState, context: RunContext): NextStep<ParcelInput> {
  switch (state.status) {
    case "packing":
      return { kind: "send", perform: () => effects.pack(context) };
    case "shipping": {
      const { notBefore } = state;
      return {
        kind: "call",
        perform: () => effects.ship(),
        notBefore,
        longestPauseMs: longestParcelPauseMs,
      };
    }
    case "refunding":
      return { kind: "compensate", perform: () => effects.refund() };
    case "parked":
      return { kind: "suspend" };
    case "new":
    case "shipped":
    case "refunded":
      return { kind: "complete" };
  }
}
