import { assertNever } from "../../kernel/assert-never.ts";
import type { Process } from "../../kernel/process.ts";
import type { RejectionCode } from "../../kernel/rejection.ts";
import { asLine } from "../../kernel/values.ts";
import type { RegistrationEvent } from "./register-domain.events.ts";
import { evolve } from "./register-domain.evolution.ts";
import type { RegistrationInput } from "./register-domain.inputs.ts";
import type { ActiveState, ParkedState, RegistrationState } from "./register-domain.state.ts";
import { inquirySchedule, nextAttemptAt, settlementSchedule, type RetrySchedule } from "../retry-schedule.ts";

/**
 * The registration of a name, from the reservation to the domain or the refund:
 *
 *     charge → order → confirm
 *       │        ├ refused ────────────────→ refund → release the name
 *       │        └ unknown → ask ┬ held ───→ confirm …
 *       │                        ├ not held → refund → release
 *       │                        └ unknown → hold the name → refund → ask on → cancel there → release
 *       └ refused → release the name
 *
 * No path leaves a domain paid but not registered, or registered but not paid, once things settle.
 */
export const registerDomain: Process<RegistrationState, RegistrationInput, RegistrationEvent> = {
  category: "registration",
  initialState: { status: "new" },
  decide,
  evolve,
};

type Facts = readonly RegistrationEvent[];
type StartedState = Exclude<ActiveState, { status: "new" }>;
type Rejected = Extract<RegistrationInput, { type: "rejected" }>;

const nothing: Facts = [];

/** Characters of a reason; a fact holds 1,000, with some words of ours around it. */
const reasonLimit = 500;
const notCarriedOut = "The registrar did not carry out the order";

/** Answers of the account after which certainly nothing was charged; any other answer is for staff. */
const chargeRefusals: ReadonlySet<RejectionCode> = new Set([
  "insufficient-balance",
  "account-not-open",
  "validation-failed",
]);

function decide(given: RegistrationInput, state: RegistrationState): Facts {
  const input = bounded(given);
  if (state.status === "completed") return nothing;
  if (state.status === "parked") return decideParked(input, state);
  if (state.status === "new") return decideStart(input);
  if (input.type === "failed") return parked(input.reason, input.at);
  if (input.type === "rejected") return decideRejection(input, state);
  return decideStep(input, state);
}

/** Reasons are the words of other parties: whatever they hold must fit a fact, and the refund that repeats them. */
function bounded(input: RegistrationInput): RegistrationInput {
  const line = (text: string): string => asLine(text, reasonLimit, "no reason given");
  if ("reason" in input) return { ...input, reason: line(input.reason) };
  if (input.type !== "rejected") return input;
  return { ...input, rejection: { ...input.rejection, message: line(input.rejection.message) } };
}

/** One case for each step: what its answer means. An input that does not belong to the step adds nothing. */
function decideStep(input: RegistrationInput, state: StartedState): Facts {
  const { at } = input;
  switch (state.status) {
    case "charging":
      return input.type === "charged"
        ? [{ type: "RegistrationCharged", data: { ...input.charge, at } }]
        : nothing;
    case "ordering":
      return decideOrder(input);
    case "inquiring":
      return decideInquiry(input, state);
    case "confirming":
      return input.type === "accepted" ? confirmed(at) : nothing;
    case "refunding":
      return input.type === "refunded"
        ? [{ type: "RegistrationChargeReturned", data: { correctionId: input.correctionId, at } }]
        : nothing;
    case "releasing":
      return input.type === "accepted" ? [completedUnregistered(state, at)] : nothing;
    case "holding":
      return input.type === "accepted" ? [{ type: "RegistrationLeftUnsettled", data: { at } }] : nothing;
    case "settling":
      return decideSettlement(input, state);
    case "cancelling":
      return decideCancellation(input, state);
    case "delivering":
      return nothing;
    default:
      return assertNever(state);
  }
}

function decideStart(input: RegistrationInput): Facts {
  if (input.type !== "reserved") return nothing;
  const { reservedAt: startedAt, ...registration } = input.reservation;
  return [{ type: "RegistrationStarted", data: { ...registration, startedAt } }];
}

function decideRefusedCharge({ rejection, at }: Rejected): Facts {
  const { code, message, detail } = rejection;
  if (!chargeRefusals.has(code)) return parked(`${code}: ${message}`, at);
  const cents = (amount: bigint | undefined): string | null => (amount === undefined ? null : String(amount));
  return [
    {
      type: "RegistrationChargeRefused",
      data: {
        code,
        message,
        requiredCents: cents(detail?.requiredCents),
        availableCents: cents(detail?.availableCents),
        at,
      },
    },
  ];
}

function decideOrder(input: RegistrationInput): Facts {
  const { at } = input;
  switch (input.type) {
    case "held":
      return [{ type: "RegistrarOrderCompleted", data: { ...input.order, at } }];
    case "refused":
      return [{ type: "RegistrarOrderRefused", data: { reason: input.reason, at } }];
    case "unknown":
      return [{ type: "RegistrarOutcomeUnknown", data: { cause: "unanswered", reason: input.reason, at } }];
    case "resumed":
      return [
        {
          type: "RegistrarOutcomeUnknown",
          data: { cause: "interrupted", reason: "The run was interrupted", at },
        },
      ];
    default:
      return nothing;
  }
}

function decideInquiry(
  input: RegistrationInput,
  state: Extract<ActiveState, { status: "inquiring" }>,
): Facts {
  const { at } = input;
  switch (input.type) {
    case "held":
      return [{ type: "RegistrarOrderCompleted", data: { ...input.order, at } }];
    case "not-held":
      // An order that the registrar does not know was perhaps never sent; the customer still wants it.
      if (state.cause === "interrupted") return [{ type: "RegistrarOrderResumed", data: { at } }];
      return [{ type: "RegistrarOrderRefused", data: { reason: notCarriedOut, at } }];
    case "refused":
    case "unknown":
      return [inquiryFailed(input.reason, at, inquirySchedule, state.attempts)];
    default:
      return nothing;
  }
}

function decideSettlement(
  input: RegistrationInput,
  state: Extract<ActiveState, { status: "settling" }>,
): Facts {
  const { at } = input;
  switch (input.type) {
    case "held":
      return [{ type: "RegistrarCancellationDue", data: { nextAttemptAt: at, at } }];
    case "not-held":
      return [{ type: "RegistrarOrderRefused", data: { reason: notCarriedOut, at } }];
    case "refused":
    case "unknown":
      if (state.attempts + 1 >= settlementSchedule.limit)
        return parked(`The registrar does not answer: ${input.reason}`, at);
      return [inquiryFailed(input.reason, at, settlementSchedule, state.attempts)];
    default:
      return nothing;
  }
}

function decideCancellation(
  input: RegistrationInput,
  state: Extract<ActiveState, { status: "cancelling" }>,
): Facts {
  const { at } = input;
  switch (input.type) {
    case "done":
      return [{ type: "RegistrarOrderCancelled", data: { at } }];
    case "refused":
    case "unknown": {
      if (state.attempts + 1 >= settlementSchedule.limit)
        return parked(`The order could not be cancelled: ${input.reason}`, at);
      const next = nextAttemptAt(settlementSchedule, state.attempts + 1, at);
      return [{ type: "RegistrarCancellationDue", data: { nextAttemptAt: next, at } }];
    }
    default:
      return nothing;
  }
}

function decideParked(input: RegistrationInput, state: ParkedState): Facts {
  const { at } = input;
  if (input.type === "retried") return [{ type: "RegistrationUnparked", data: { at } }];
  if (input.type !== "abandoned") return nothing;
  const abandoned: RegistrationEvent = { type: "RegistrationAbandoned", data: { reason: input.reason, at } };
  return state.step.status === "delivering" ? [abandoned, delivered(at)] : [abandoned];
}

/** An aggregate refused a step: sometimes that tells how far an earlier owner of the run came; else it is for staff. */
function decideRejection(input: Rejected, state: StartedState): Facts {
  const { rejection, at } = input;
  const { code, message } = rejection;
  if (state.status === "charging") return decideRefusedCharge(input);
  // The name says that it is registered: what it lacks is no part of the run.
  if (state.status === "delivering" && code === "domain-taken") return [delivered(at)];
  if (state.status === "holding") {
    // The registration was confirmed by an owner that died before it could record that: it is kept.
    if (code === "domain-taken") return confirmed(at);
    // A name that is not this run's any longer needs no holding.
    if (code === "registration-not-found") return [{ type: "RegistrationLeftUnsettled", data: { at } }];
  }
  if (state.status === "refunding" && state.charge === undefined && code === "charge-not-found") {
    return [{ type: "RegistrationNeverCharged", data: { at } }];
  }
  if (state.status === "releasing" && code === "registration-not-found")
    return [completedUnregistered(state, at)];
  return parked(`${code}: ${message}`, at);
}

function completedUnregistered(
  state: Extract<ActiveState, { status: "releasing" }>,
  at: string,
): RegistrationEvent {
  const outcome = state.failure.kind === "charge-refused" ? "refused" : "refunded";
  return { type: "RegistrationCompleted", data: { outcome, at } };
}

function inquiryFailed(
  reason: string,
  at: string,
  schedule: RetrySchedule,
  attempts: number,
): RegistrationEvent {
  return {
    type: "RegistrarInquiryFailed",
    data: { reason, nextInquiryAt: nextAttemptAt(schedule, attempts + 1, at), at },
  };
}

function parked(reason: string, at: string): Facts {
  return [{ type: "RegistrationParked", data: { reason, at } }];
}

/** The domain is the account's, and with that the run is over. */
function confirmed(at: string): Facts {
  return [{ type: "RegistrationConfirmed", data: { at } }, delivered(at)];
}

function delivered(at: string): RegistrationEvent {
  return { type: "RegistrationCompleted", data: { outcome: "delivered", at } };
}
