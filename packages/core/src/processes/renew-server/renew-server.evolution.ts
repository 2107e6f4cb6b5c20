import { assertNever } from "../../kernel/assert-never.ts";
import { CorruptStreamError } from "../../kernel/decider.ts";
import type { ServerRenewalCompleted, ServerRenewalEvent } from "./renew-server.events.ts";
import type {
  EndedServerRenewalAnswer,
  ParkedServerRenewal,
  ServerRenewalFailure,
  ServerRenewalState,
} from "./renew-server.state.ts";

/** Folds a fact into the run of a renewal. @throws CorruptStreamError */
export function evolve(state: ServerRenewalState, event: ServerRenewalEvent): ServerRenewalState {
  const next = step(state, event);
  if (next === undefined) throw new CorruptStreamError(event.type, state.status);
  return next;
}

/** The outcome that the last fact of a run with this answer states. */
export function outcomeOf({ kind }: EndedServerRenewalAnswer): ServerRenewalCompleted["data"]["outcome"] {
  if (kind === "renewed") return "renewed";
  return kind === "charge-refused" ? "refused" : "refunded";
}

/** The state after the fact, or undefined where it cannot follow. */
function step(state: ServerRenewalState, event: ServerRenewalEvent): ServerRenewalState | undefined {
  switch (event.type) {
    case "ServerRenewalStarted":
      return state.status === "new" ? { status: "charging", renewal: event.data } : undefined;
    case "ServerRenewalCharged": {
      if (state.status !== "charging") return undefined;
      const { at: _, ...charge } = event.data;
      return { status: "recording", renewal: state.renewal, charge };
    }
    case "ServerRenewalChargeRefused": {
      if (state.status !== "charging") return undefined;
      const { at: _, ...refusal } = event.data;
      const failure = { kind: "charge-refused", refusal } as const;
      return { status: "refunding", renewal: state.renewal, charge: undefined, failure };
    }
    case "ServerRenewalRecorded":
      return stepRecorded(state, event);
    case "ServerRenewalNotRecorded":
      return stepNotRecorded(state, event);
    case "ServerRenewalNeverCharged":
    case "ServerRenewalChargeReturned":
      if (state.status !== "refunding") return undefined;
      return { status: "ending", renewal: state.renewal, answer: state.failure };
    case "ServerResumptionFailed":
      if (state.status !== "resuming") return undefined;
      return { ...state, attempts: state.attempts + 1, notBefore: event.data.nextAttemptAt };
    case "ServerRenewalParked":
      if (state.status === "new" || state.status === "parked" || "answer" in state) return undefined;
      return { status: "parked", renewal: state.renewal, reason: event.data.reason, step: state };
    case "ServerRenewalUnparked":
      if (state.status !== "parked") return undefined;
      return "attempts" in state.step ? { ...state.step, attempts: 0, notBefore: undefined } : state.step;
    case "ServerRenewalAbandoned":
      return state.status === "parked" ? abandoned(state, event.data.reason) : undefined;
    case "ServerRenewalCompleted":
      return stepCompleted(state, event.data.outcome);
    default:
      return assertNever(event);
  }
}

type Of<Type extends ServerRenewalEvent["type"]> = Extract<ServerRenewalEvent, { type: Type }>;

function stepRecorded(
  state: ServerRenewalState,
  { data: { at: _, ...outcome } }: Of<"ServerRenewalRecorded">,
): ServerRenewalState | undefined {
  if (state.status !== "recording" && state.status !== "withdrawing") return undefined;
  const { renewal } = state;
  return outcome.wasSuspended
    ? { status: "resuming", renewal, outcome, attempts: 0, notBefore: undefined }
    : { status: "ending", renewal, answer: { kind: "renewed", ...outcome } };
}

function stepNotRecorded(
  state: ServerRenewalState,
  { data: { code, message } }: Of<"ServerRenewalNotRecorded">,
): ServerRenewalState | undefined {
  if (state.status !== "recording" && state.status !== "withdrawing") return undefined;
  const { renewal, charge } = state;
  const failure: ServerRenewalFailure =
    code === null ? { kind: "abandoned", message } : { kind: "not-renewable", code, message };
  return { status: "refunding", renewal, charge, failure };
}

function stepCompleted(
  state: ServerRenewalState,
  outcome: ServerRenewalCompleted["data"]["outcome"],
): ServerRenewalState | undefined {
  if (state.status === "ending")
    return outcome === outcomeOf(state.answer) ? { ...state, status: "completed" } : undefined;
  if (state.status !== "resuming" || outcome !== "renewed") return undefined;
  const { renewal } = state;
  return { status: "completed", renewal, answer: { kind: "renewed", ...state.outcome } };
}

/** What staff's word leaves to do: look whether the server was renewed, and return what was charged if it was not. */
function abandoned({ step: last, renewal }: ParkedServerRenewal, reason: string): ServerRenewalState {
  switch (last.status) {
    case "charging":
      return { status: "withdrawing", renewal, charge: undefined, reason };
    case "recording":
      return { status: "withdrawing", renewal, charge: last.charge, reason };
    case "withdrawing":
    case "refunding":
      // Undoing already: it goes on.
      return last;
    case "resuming":
      return { status: "ending", renewal, answer: { kind: "renewed", ...last.outcome } };
    default:
      return assertNever(last);
  }
}
