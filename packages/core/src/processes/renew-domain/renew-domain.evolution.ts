import { assertNever } from "../../kernel/assert-never.ts";
import { CorruptStreamError } from "../../kernel/decider.ts";
import type { RenewalEvent } from "./renew-domain.events.ts";
import { failedAnswer, type Inquiring, type ParkedRenewal, type RenewalState } from "./renew-domain.state.ts";

type Of<Type extends RenewalEvent["type"]> = Extract<RenewalEvent, { type: Type }>;

/** Folds a fact into a renewal run. @throws CorruptStreamError */
export function evolve(state: RenewalState, event: RenewalEvent): RenewalState {
  const next = step(state, event);
  if (next === undefined) throw new CorruptStreamError(event.type, state.status);
  return next;
}

/** The state after the fact, or undefined where it cannot follow. */
function step(state: RenewalState, event: RenewalEvent): RenewalState | undefined {
  switch (event.type) {
    case "RenewalRunStarted":
      return state.status === "new" ? { status: "charging", renewal: event.data } : undefined;
    case "RenewalCharged": {
      if (state.status !== "charging") return undefined;
      const { at: _, ...charge } = event.data;
      return { status: "ordering", renewal: state.renewal, charge };
    }
    case "RenewalChargeRefused": {
      if (state.status !== "charging") return undefined;
      const { at: _, ...refusal } = event.data;
      const failure = { kind: "charge-refused", refusal } as const;
      return { status: "failing", renewal: state.renewal, failure };
    }
    case "RenewalOrderCompleted":
    case "RenewalOrderRefused":
    case "RenewalOutcomeUnknown":
    case "RenewalOrderResumed":
    case "RenewalInquiryFailed":
      return stepOrder(state, event);
    case "RenewalNeverCharged":
    case "RenewalChargeReturned":
      return state.status === "refunding"
        ? { status: "failing", renewal: state.renewal, failure: state.failure }
        : undefined;
    case "RenewalParked":
      return state.status === "new" || state.status === "parked" || state.status === "completed"
        ? undefined
        : { status: "parked", renewal: state.renewal, reason: event.data.reason, step: state };
    case "RenewalUnparked":
      return state.status === "parked" ? afresh(state.step) : undefined;
    case "RenewalAbandoned":
      return state.status === "parked" ? abandoned(state, event.data.reason) : undefined;
    case "RenewalCompleted":
      return stepCompleted(state, event.data.outcome);
    default:
      return assertNever(event);
  }
}

function stepOrder(
  state: RenewalState,
  event: Of<
    | "RenewalOrderCompleted"
    | "RenewalOrderRefused"
    | "RenewalOutcomeUnknown"
    | "RenewalOrderResumed"
    | "RenewalInquiryFailed"
  >,
): RenewalState | undefined {
  if (state.status !== "ordering" && state.status !== "inquiring") return undefined;
  const { renewal, charge } = state;
  switch (event.type) {
    case "RenewalOrderCompleted":
      return { status: "confirming", renewal, charge, expiresAt: event.data.expiresAt };
    case "RenewalOrderRefused": {
      const { reason } = event.data;
      const isAbandoned = state.status === "inquiring" && state.cause === "abandoned";
      const failure = { kind: isAbandoned ? "abandoned" : "registrar-failed", reason } as const;
      return { status: "refunding", renewal, charge, failure };
    }
    case "RenewalOutcomeUnknown":
      if (state.status !== "ordering") return undefined;
      return inquiring(state, event.data.cause, event.data.reason);
    case "RenewalOrderResumed":
      return state.status === "inquiring" ? { status: "ordering", renewal, charge } : undefined;
    case "RenewalInquiryFailed":
      if (state.status !== "inquiring") return undefined;
      return { ...state, attempts: state.attempts + 1, notBefore: event.data.nextInquiryAt };
    default:
      return assertNever(event);
  }
}

function stepCompleted(
  state: RenewalState,
  outcome: Of<"RenewalCompleted">["data"]["outcome"],
): RenewalState | undefined {
  if (state.status === "confirming" && outcome === "renewed") {
    const { renewal, charge, expiresAt } = state;
    return { status: "completed", renewal, answer: { kind: "renewed", charge, expiresAt } };
  }
  if (state.status === "failing" && outcome === "failed")
    return { status: "completed", renewal: state.renewal, answer: failedAnswer(state.failure) };
  return undefined;
}

function inquiring(
  { renewal, charge }: Pick<Inquiring, "renewal" | "charge">,
  cause: Inquiring["cause"],
  reason: string,
): Inquiring {
  return { status: "inquiring", renewal, charge, cause, reason, attempts: 0, notBefore: undefined };
}

/**
 * The step of a parked run, with its attempts counted anew. An order whose answer was lost may have been carried out: the
 * registrar is asked before it is sent again.
 */
function afresh(step: ParkedRenewal["step"]): RenewalState {
  if (step.status === "ordering") return inquiring(step, "interrupted", "The run was interrupted");
  return step.status === "inquiring" ? { ...step, attempts: 0, notBefore: undefined } : step;
}

/**
 * What staff's word leaves to do. While the registrar may have renewed, it is asked once more: what it has renewed is
 * paid for, and cannot be undone.
 */
function abandoned({ step, renewal }: ParkedRenewal, reason: string): RenewalState {
  switch (step.status) {
    case "charging":
      return { status: "refunding", renewal, charge: undefined, failure: { kind: "abandoned", reason } };
    case "ordering":
    case "inquiring":
      return inquiring(step, "abandoned", reason);
    case "confirming":
    case "refunding":
    case "failing":
      return step;
    default:
      return assertNever(step);
  }
}
