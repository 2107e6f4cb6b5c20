import { assertNever } from "../../kernel/assert-never.ts";
import { CorruptStreamError } from "../../kernel/decider.ts";
import { computeInquirySchedule } from "./compute-schedules.ts";
import type { ServerOrderEvent } from "./order-server.events.ts";
import type {
  ComputeAttempts,
  ParkedServerOrder,
  ServerOrderFailure,
  ServerOrderState,
} from "./order-server.state.ts";

const firstAttempt: ComputeAttempts = { attempts: 0, notBefore: undefined };

/** Folds a fact into the run of an order. @throws CorruptStreamError */
export function evolve(state: ServerOrderState, event: ServerOrderEvent): ServerOrderState {
  const next = step(state, event);
  if (next === undefined) throw new CorruptStreamError(event.type, state.status);
  return next;
}

/** The state after the fact, or undefined where it cannot follow. */
function step(state: ServerOrderState, event: ServerOrderEvent): ServerOrderState | undefined {
  switch (event.type) {
    case "ServerOrderStarted":
    case "ServerOrderUnitTaken":
    case "ServerOrderPlaced":
    case "ServerOrderCharged":
    case "ServerOrderRefused":
      return stepBeginning(state, event);
    case "ComputeOrderCompleted":
    case "ComputeOrderRefused":
    case "ComputeOutcomeUnknown":
    case "ComputeInquiryFailed":
    case "ComputeOrderResumed":
      return stepCompute(state, event);
    case "ServerOrderFailureRecorded":
    case "ServerOrderNeverCharged":
    case "ServerOrderChargeReturned":
    case "ComputeDestructionDue":
    case "ComputeServerDestroyed":
      return stepUndoing(state, event);
    case "ServerOrderParked":
      return state.status === "new" || state.status === "parked" || state.status === "completed"
        ? undefined
        : { status: "parked", order: state.order, reason: event.data.reason, step: state };
    case "ServerOrderUnparked":
      return state.status === "parked" ? afresh(state.step) : undefined;
    case "ServerOrderAbandoned":
      return state.status === "parked" ? abandoned(state, event.data.reason) : undefined;
    case "ServerOrderCompleted":
      return stepCompleted(state, event.data.outcome);
    default:
      return assertNever(event);
  }
}

type Of<Type extends ServerOrderEvent["type"]> = Extract<ServerOrderEvent, { type: Type }>;

function stepBeginning(
  state: ServerOrderState,
  event: Of<
    | "ServerOrderStarted"
    | "ServerOrderUnitTaken"
    | "ServerOrderPlaced"
    | "ServerOrderCharged"
    | "ServerOrderRefused"
  >,
): ServerOrderState | undefined {
  switch (event.type) {
    case "ServerOrderStarted": {
      if (state.status !== "new") return undefined;
      const order = event.data;
      return { status: order.grossCents === null ? "placing" : "reserving", order };
    }
    case "ServerOrderUnitTaken":
      return state.status === "reserving" ? { status: "placing", order: state.order } : undefined;
    case "ServerOrderPlaced": {
      if (state.status !== "placing") return undefined;
      const { order } = state;
      return order.grossCents === null
        ? { status: "provisioning", order, charge: null }
        : { status: "charging", order };
    }
    case "ServerOrderCharged": {
      if (state.status !== "charging") return undefined;
      const { at: _, ...charge } = event.data;
      return { status: "provisioning", order: state.order, charge };
    }
    case "ServerOrderRefused": {
      if (state.status !== "reserving" && state.status !== "charging") return undefined;
      const { at: _, ...refusal } = event.data;
      const failure: ServerOrderFailure = { kind: "refused", refusal };
      return { status: "failing", order: state.order, charge: null, failure, then: "return" };
    }
    default:
      return assertNever(event);
  }
}

function stepCompute(
  state: ServerOrderState,
  event: Of<
    | "ComputeOrderCompleted"
    | "ComputeOrderRefused"
    | "ComputeOutcomeUnknown"
    | "ComputeInquiryFailed"
    | "ComputeOrderResumed"
  >,
): ServerOrderState | undefined {
  if (state.status === "settling") {
    const { order, failure } = state;
    if (event.type === "ComputeOrderRefused") return { status: "returning", order, failure };
    if (event.type !== "ComputeInquiryFailed") return undefined;
    return { ...state, attempts: state.attempts + 1, notBefore: event.data.nextInquiryAt };
  }
  if (state.status !== "provisioning" && state.status !== "inquiring") return undefined;
  const { order, charge } = state;
  switch (event.type) {
    case "ComputeOrderCompleted": {
      const { at: _, ...place } = event.data;
      return { status: "recording", order, charge, place };
    }
    case "ComputeOrderRefused": {
      const failure: ServerOrderFailure = { kind: "compute-failed", reason: event.data.reason };
      return { status: "failing", order, charge, failure, then: "return" };
    }
    case "ComputeOutcomeUnknown":
      return { status: "inquiring", order, charge, cause: event.data.cause, ...firstAttempt };
    case "ComputeInquiryFailed": {
      if (state.status !== "inquiring") return undefined;
      const { reason, nextInquiryAt } = event.data;
      const attempts = state.attempts + 1;
      if (attempts < computeInquirySchedule.limit) return { ...state, attempts, notBefore: nextInquiryAt };
      // Still unknown: the customer gets the money back now; the unit goes back when there is certainly no server.
      const failure: ServerOrderFailure = { kind: "compute-failed", reason };
      return { status: "failing", order, charge, failure, then: "settle" };
    }
    case "ComputeOrderResumed":
      return state.status === "inquiring" ? { status: "provisioning", order, charge } : undefined;
    default:
      return assertNever(event);
  }
}

function stepUndoing(
  state: ServerOrderState,
  event: Of<
    | "ServerOrderFailureRecorded"
    | "ServerOrderNeverCharged"
    | "ServerOrderChargeReturned"
    | "ComputeDestructionDue"
    | "ComputeServerDestroyed"
  >,
): ServerOrderState | undefined {
  switch (event.type) {
    case "ServerOrderFailureRecorded": {
      if (state.status !== "failing") return undefined;
      // A refused order was not charged, and neither is a gift: any other may have been, known here or not.
      const mayBeCharged = state.failure.kind !== "refused" && state.order.grossCents !== null;
      return mayBeCharged ? { ...state, status: "refunding" } : paidBack(state);
    }
    case "ServerOrderNeverCharged":
    case "ServerOrderChargeReturned":
      return state.status === "refunding" ? paidBack(state) : undefined;
    case "ComputeDestructionDue": {
      if (state.status === "settling") return { ...state, status: "destroying", ...firstAttempt };
      if (state.status !== "destroying") return undefined;
      return { ...state, attempts: state.attempts + 1, notBefore: event.data.nextAttemptAt };
    }
    case "ComputeServerDestroyed": {
      if (state.status !== "destroying") return undefined;
      return { status: "returning", order: state.order, failure: state.failure };
    }
    default:
      return assertNever(event);
  }
}

function paidBack({ order, failure, then }: Extract<ServerOrderState, { then: string }>): ServerOrderState {
  return then === "settle"
    ? { status: "settling", order, failure, ...firstAttempt }
    : { status: "returning", order, failure };
}

function stepCompleted(
  state: ServerOrderState,
  outcome: Of<"ServerOrderCompleted">["data"]["outcome"],
): ServerOrderState | undefined {
  if (state.status === "returning") {
    const { order, failure } = state;
    const isRefused = failure.kind === "refused";
    return outcome === (isRefused ? "refused" : "failed")
      ? { status: "completed", order, answer: failure }
      : undefined;
  }
  if (outcome !== "provisioned" || (state.status !== "recording" && state.status !== "failing"))
    return undefined;
  const { order, charge } = state;
  const { serverId, months } = order;
  return { status: "completed", order, answer: { kind: "provisioned", serverId, months, charge } };
}

/**
 * The step of a parked run with its attempts counted anew. An order whose answer was lost may have been carried out: it is
 * asked about before it is sent again, since a refusal of the second would say nothing about the first.
 */
function afresh(parkedStep: ParkedServerOrder["step"]): ServerOrderState {
  if (parkedStep.status === "provisioning") {
    return { ...parkedStep, status: "inquiring", cause: "interrupted", ...firstAttempt };
  }
  return "attempts" in parkedStep ? { ...parkedStep, ...firstAttempt } : parkedStep;
}

/**
 * What staff's word leaves to do: return what was charged, give back what was reserved. A server that may exist is settled
 * first, and one that its own stream tells of stays.
 */
function abandoned({ step: last, order }: ParkedServerOrder, reason: string): ServerOrderState {
  const failure: ServerOrderFailure = { kind: "compute-failed", reason };
  switch (last.status) {
    case "reserving":
    case "placing":
    case "charging":
      return { status: "failing", order, charge: null, failure, then: "return" };
    case "provisioning":
    case "inquiring":
    case "recording":
      return { status: "failing", order, charge: last.charge, failure, then: "settle" };
    case "failing":
    case "refunding":
    case "returning":
      // Undoing already: it goes on.
      return last;
    case "settling":
    case "destroying":
      // Staff has settled it with the compute party.
      return { status: "returning", order, failure: last.failure };
    default:
      return assertNever(last);
  }
}
