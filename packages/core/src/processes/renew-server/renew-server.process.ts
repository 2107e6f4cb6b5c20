import { assertNever } from "../../kernel/assert-never.ts";
import type { Process } from "../../kernel/process.ts";
import type { RejectionCode } from "../../kernel/rejection.ts";
import { asLine } from "../../kernel/values.ts";
import { chargeRefusalOf, isChargeRefusal } from "../charge-refusal.ts";
import { nextAttemptAt, type RetrySchedule } from "../retry-schedule.ts";
import type { ServerRenewalEvent } from "./renew-server.events.ts";
import { evolve, outcomeOf } from "./renew-server.evolution.ts";
import type { ServerRenewalInput } from "./renew-server.inputs.ts";
import type { ActiveServerRenewal, ServerRenewalState } from "./renew-server.state.ts";

/**
 * The renewal of a server, from the price to the new expiry:
 *
 *     charge → record → (it was suspended: start it again) → renewed
 *       │        └ refused → refund
 *       └ refused → make sure that nothing is charged
 *
 * The price is frozen in the first fact. The server's own stream has the last word on whether it was renewed: staff that
 * ends a run makes it look there before anything is returned. No path leaves a renewal paid but not recorded, or recorded
 * but not paid, once things settle.
 */
export const renewServer: Process<ServerRenewalState, ServerRenewalInput, ServerRenewalEvent> = {
  category: "serverrenewal",
  initialState: { status: "new" },
  decide,
  evolve,
};

type Facts = readonly ServerRenewalEvent[];
type StartedState = Exclude<ActiveServerRenewal, { status: "new" }>;
type Rejected = Extract<ServerRenewalInput, { type: "rejected" }>;

const nothing: Facts = [];

/** Characters of a reason; a fact holds 1,000, with some words of ours around it. */
const reasonLimit = 500;

/** The suspended server is to start again, in the background: for two days; then staff is asked. */
export const resumptionSchedule: RetrySchedule = {
  limit: 3_000,
  firstDelayMs: 1_000,
  longestDelayMs: 60_000,
};

/** Answers of the server after which it is certainly not renewed; any other answer is for staff. */
const renewalRefusals: ReadonlySet<RejectionCode> = new Set([
  "not-found",
  "server-not-active",
  "validation-failed",
]);

function decide(given: ServerRenewalInput, state: ServerRenewalState): Facts {
  const input = bounded(given);
  const { at } = input;
  switch (state.status) {
    case "completed":
      return nothing;
    case "ending":
      return [completed(outcomeOf(state.answer), at)];
    case "parked":
      if (input.type === "retried") return [{ type: "ServerRenewalUnparked", data: { at } }];
      return input.type === "abandoned" ? abandoned(input.reason, at, state.step) : nothing;
    case "new":
      if (input.type !== "requested") return nothing;
      return [{ type: "ServerRenewalStarted", data: { ...input.renewal, startedAt: at } }];
    default:
      if (input.type === "failed") return parked(input.reason, at);
      if (input.type === "rejected") return decideRejection(input, state);
      return decideStep(input, state);
  }
}

/** Reasons are the words of other parties: whatever they hold must fit a fact, and the refund that repeats them. */
function bounded(input: ServerRenewalInput): ServerRenewalInput {
  const line = (text: string): string => asLine(text, reasonLimit, "no reason given");
  if ("reason" in input) return { ...input, reason: line(input.reason) };
  if (input.type !== "rejected") return input;
  return { ...input, rejection: { ...input.rejection, message: line(input.rejection.message) } };
}

/** One case for each step: what its answer means. An input that does not belong to the step adds nothing. */
function decideStep(input: ServerRenewalInput, state: StartedState): Facts {
  const { at } = input;
  switch (state.status) {
    case "charging":
      return input.type === "charged"
        ? [{ type: "ServerRenewalCharged", data: { ...input.charge, at } }]
        : nothing;
    case "recording":
      return input.type === "renewed" ? recorded(input) : nothing;
    case "withdrawing":
      if (input.type === "renewed") return recorded(input);
      if (input.type !== "not-renewed") return nothing;
      return [{ type: "ServerRenewalNotRecorded", data: { code: null, message: state.reason, at } }];
    case "refunding": {
      if (input.type !== "refunded") return nothing;
      const { correctionId } = input;
      return [
        { type: "ServerRenewalChargeReturned", data: { correctionId, at } },
        completed(outcomeOf(state.failure), at),
      ];
    }
    case "resuming":
      return decideResumption(input, state);
    default:
      return assertNever(state);
  }
}

/** A server that was not suspended runs: then there is nothing more to do. */
function recorded({ outcome, at }: Extract<ServerRenewalInput, { type: "renewed" }>): Facts {
  const { chargeId, invoiceId, grossCents, wasSuspended, expiresAt } = outcome;
  const fact: ServerRenewalEvent = {
    type: "ServerRenewalRecorded",
    data: { chargeId, invoiceId, grossCents, wasSuspended, expiresAt, at },
  };
  return wasSuspended ? [fact] : [fact, completed("renewed", at)];
}

function decideResumption(
  input: ServerRenewalInput,
  state: Extract<ActiveServerRenewal, { status: "resuming" }>,
): Facts {
  const { at } = input;
  switch (input.type) {
    case "done":
      return [completed("renewed", at)];
    case "refused":
    case "unknown": {
      const { reason } = input;
      const attempts = state.attempts + 1;
      if (attempts >= resumptionSchedule.limit)
        return parked(`The server could not be started again: ${reason}`, at);
      const next = nextAttemptAt(resumptionSchedule, attempts, at);
      return [{ type: "ServerResumptionFailed", data: { reason, nextAttemptAt: next, at } }];
    }
    default:
      return nothing;
  }
}

/** An aggregate refused a step: where that is certain, nothing stays charged; else it is for staff. */
function decideRejection({ rejection, at }: Rejected, state: StartedState): Facts {
  const { code, message } = rejection;
  switch (state.status) {
    case "charging":
      if (isChargeRefusal(rejection)) {
        const refusal = chargeRefusalOf(rejection);
        return [{ type: "ServerRenewalChargeRefused", data: { ...refusal, at } }];
      }
      break;
    case "recording":
      if (renewalRefusals.has(code))
        return [{ type: "ServerRenewalNotRecorded", data: { code, message, at } }];
      break;
    case "refunding":
      if (state.charge === undefined && code === "charge-not-found")
        return [{ type: "ServerRenewalNeverCharged", data: { at } }, completed(outcomeOf(state.failure), at)];
      break;
    default:
  }
  return parked(`${code}: ${message}`, at);
}

/** A renewed server stays renewed, even where nobody could start it. */
function abandoned(reason: string, at: string, step: StartedState): Facts {
  const fact: ServerRenewalEvent = { type: "ServerRenewalAbandoned", data: { reason, at } };
  return step.status === "resuming" ? [fact, completed("renewed", at)] : [fact];
}

function completed(outcome: ReturnType<typeof outcomeOf>, at: string): ServerRenewalEvent {
  return { type: "ServerRenewalCompleted", data: { outcome, at } };
}

function parked(reason: string, at: string): Facts {
  return [{ type: "ServerRenewalParked", data: { reason, at } }];
}
