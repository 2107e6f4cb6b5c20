import { assertNever } from "../../kernel/assert-never.ts";
import { CorruptStreamError } from "../../kernel/decider.ts";
import type { RegistrationEvent } from "./register-domain.events.ts";
import {
  failureAnswer,
  type Attempts,
  type Failure,
  type ParkedState,
  type RegistrationState,
} from "./register-domain.state.ts";
import { inquirySchedule } from "../retry-schedule.ts";

const firstAttempt: Attempts = { attempts: 0, notBefore: undefined };

/** Folds a fact into a registration run. */
export function evolve(state: RegistrationState, event: RegistrationEvent): RegistrationState {
  const next = step(state, event);
  if (next === undefined) throw new CorruptStreamError(event.type, state.status);
  return next;
}

/** The state after the fact, or undefined where it cannot follow. */
function step(state: RegistrationState, event: RegistrationEvent): RegistrationState | undefined {
  switch (event.type) {
    case "RegistrationStarted":
      return state.status === "new" ? { status: "charging", registration: event.data } : undefined;
    case "RegistrationCharged": {
      if (state.status !== "charging") return undefined;
      const { at: _, ...charge } = event.data;
      return { status: "ordering", registration: state.registration, charge };
    }
    case "RegistrationChargeRefused": {
      if (state.status !== "charging") return undefined;
      const failure: Failure = { kind: "charge-refused", refusal: event.data };
      return { status: "releasing", registration: state.registration, failure, reason: "charge-refused" };
    }
    case "RegistrarOrderCompleted":
    case "RegistrarOrderRefused":
    case "RegistrarOutcomeUnknown":
    case "RegistrarOrderResumed":
      return stepOrder(state, event);
    case "RegistrarInquiryFailed":
      return stepInquiryFailed(state, event.data);
    case "RegistrationLeftUnsettled":
    case "RegistrationNeverCharged":
    case "RegistrationChargeReturned":
    case "RegistrarCancellationDue":
    case "RegistrarOrderCancelled":
      return stepUndoing(state, event);
    case "RegistrationConfirmed":
    case "DelegationUnanswered":
    case "DelegationCompleted":
    case "DelegationRefused":
    case "DelegationRefusalRecorded":
    case "ZoneDelivered":
    case "ZoneAttemptFailed":
    case "ZoneFailureRecorded":
      return stepDelivery(state, event);
    case "RegistrationParked":
      return state.status === "new" || state.status === "parked" || state.status === "completed"
        ? undefined
        : { status: "parked", registration: state.registration, reason: event.data.reason, step: state };
    case "RegistrationUnparked":
      return state.status === "parked" ? afresh(state.step) : undefined;
    case "RegistrationAbandoned":
      return state.status === "parked" ? abandoned(state, event.data.reason) : undefined;
    case "RegistrationCompleted":
      return stepCompleted(state, event.data.outcome);
    default:
      return assertNever(event);
  }
}

type Of<Type extends RegistrationEvent["type"]> = Extract<RegistrationEvent, { type: Type }>;

function stepOrder(
  state: RegistrationState,
  event: Of<
    "RegistrarOrderCompleted" | "RegistrarOrderRefused" | "RegistrarOutcomeUnknown" | "RegistrarOrderResumed"
  >,
): RegistrationState | undefined {
  if (state.status === "settling" && event.type === "RegistrarOrderRefused") {
    const { registration, failure } = state;
    return { status: "releasing", registration, failure, reason: "order-not-carried-out" };
  }
  if (state.status !== "ordering" && state.status !== "inquiring") return undefined;
  const { registration, charge } = state;
  switch (event.type) {
    case "RegistrarOrderCompleted": {
      const { at: _, ...order } = event.data;
      return { status: "confirming", registration, charge, order };
    }
    case "RegistrarOrderRefused": {
      const failure: Failure = { kind: "registrar-failed", reason: event.data.reason };
      const then = state.status === "ordering" ? "order-refused" : "order-not-carried-out";
      return { status: "refunding", registration, charge, failure, then };
    }
    case "RegistrarOutcomeUnknown":
      return { status: "inquiring", registration, charge, cause: event.data.cause, ...firstAttempt };
    case "RegistrarOrderResumed":
      return { status: "ordering", registration, charge };
    default:
      return assertNever(event);
  }
}

function stepInquiryFailed(
  state: RegistrationState,
  { reason, nextInquiryAt }: Of<"RegistrarInquiryFailed">["data"],
): RegistrationState | undefined {
  if (state.status !== "inquiring" && state.status !== "settling") return undefined;
  const attempts = state.attempts + 1;
  if (state.status === "settling" || attempts < inquirySchedule.limit)
    return { ...state, attempts, notBefore: nextInquiryAt };
  // Still unknown: the customer gets the money back now, and the name stays taken until the registrar answers.
  const { registration, charge } = state;
  return { status: "holding", registration, charge, failure: { kind: "registrar-failed", reason } };
}

function stepUndoing(
  state: RegistrationState,
  event: Of<
    | "RegistrationLeftUnsettled"
    | "RegistrationNeverCharged"
    | "RegistrationChargeReturned"
    | "RegistrarCancellationDue"
    | "RegistrarOrderCancelled"
  >,
): RegistrationState | undefined {
  switch (event.type) {
    case "RegistrationLeftUnsettled":
      return state.status === "holding" ? { ...state, status: "refunding", then: "settle" } : undefined;
    case "RegistrationNeverCharged":
    case "RegistrationChargeReturned": {
      if (state.status !== "refunding") return undefined;
      const { registration, failure, then } = state;
      return then === "settle"
        ? { status: "settling", registration, failure, ...firstAttempt }
        : { status: "releasing", registration, failure, reason: then };
    }
    case "RegistrarCancellationDue": {
      if (state.status === "settling") return { ...state, status: "cancelling", ...firstAttempt };
      if (state.status !== "cancelling") return undefined;
      return { ...state, attempts: state.attempts + 1, notBefore: event.data.nextAttemptAt };
    }
    case "RegistrarOrderCancelled": {
      if (state.status !== "cancelling") return undefined;
      const { registration, failure } = state;
      return { status: "releasing", registration, failure, reason: "order-cancelled" };
    }
    default:
      return assertNever(event);
  }
}

/** Facts of a delivery that was part of the run: they change nothing for it. */
function stepDelivery(
  state: RegistrationState,
  event: Of<
    | "RegistrationConfirmed"
    | "DelegationUnanswered"
    | "DelegationCompleted"
    | "DelegationRefused"
    | "DelegationRefusalRecorded"
    | "ZoneDelivered"
    | "ZoneAttemptFailed"
    | "ZoneFailureRecorded"
  >,
): RegistrationState | undefined {
  if (event.type !== "RegistrationConfirmed") return state.status === "delivering" ? state : undefined;
  if (state.status !== "confirming" && state.status !== "holding") return undefined;
  return { status: "delivering", registration: state.registration, charge: state.charge };
}

function stepCompleted(
  state: RegistrationState,
  outcome: Of<"RegistrationCompleted">["data"]["outcome"],
): RegistrationState | undefined {
  if (state.status === "releasing" && (outcome === "refused" || outcome === "refunded")) {
    return { status: "completed", registration: state.registration, answer: failureAnswer(state.failure) };
  }
  const last = state.status === "parked" ? state.step : state;
  if (outcome !== "delivered" || last.status !== "delivering") return undefined;
  const { registration, charge } = last;
  return { status: "completed", registration, answer: { kind: "registered", charge } };
}

/**
 * The step of a parked run with its attempts counted anew. An order whose answer was lost may have been carried out: the
 * registrar is asked before it is sent again, since a refusal of the second would say nothing about the first.
 */
function afresh(parkedStep: ParkedState["step"]): RegistrationState {
  if (parkedStep.status === "ordering") {
    return { ...parkedStep, status: "inquiring", cause: "interrupted", ...firstAttempt };
  }
  return "attempts" in parkedStep ? { ...parkedStep, ...firstAttempt } : parkedStep;
}

/**
 * What staff's word leaves to do: return what was charged, release what was reserved. A delivered domain stays, and an
 * order that the registrar may hold is settled with it first.
 */
function abandoned(state: ParkedState, reason: string): RegistrationState {
  const { step: last, registration } = state;
  const failure: Failure = { kind: "registrar-failed", reason };
  if (last.status === "delivering") return state;
  switch (last.status) {
    case "charging":
      return { status: "refunding", registration, charge: undefined, failure, then: "abandoned" };
    case "ordering":
    case "inquiring":
    case "confirming":
      return { status: "holding", registration, charge: last.charge, failure };
    case "holding":
    case "refunding":
    case "releasing":
      // Undoing already: it goes on.
      return last;
    case "settling":
    case "cancelling":
      return { status: "releasing", registration, failure: last.failure, reason: "abandoned" };
    default:
      return assertNever(last);
  }
}
