import { addMilliseconds, addYears } from "../../calendar/calendar.ts";
import { assertNever } from "../../kernel/assert-never.ts";
import type { Process } from "../../kernel/process.ts";
import { asLine } from "../../kernel/values.ts";
import { chargeRefusalOf, isChargeRefusal } from "../charge-refusal.ts";
import { evolve } from "./renew-domain.evolution.ts";
import type { RenewalEvent } from "./renew-domain.events.ts";
import type { RenewalInput } from "./renew-domain.inputs.ts";
import type { ActiveRenewalState, Inquiring, Renewal, RenewalState } from "./renew-domain.state.ts";
import { inquiryLimit, nextInquiryAt } from "./renewal-inquiries.ts";

/**
 * The renewal of a domain for one expiry date, from the charge to the new date or the refund:
 *
 *     charge → order → confirm → renewed
 *       │        ├ not reached ─────────────────────→ refund → failed
 *       │        └ no or no answer → ask ┬ renewed ─→ confirm …
 *       │                                ├ not renewed → refund → failed
 *       │                                └ unknown → ask on, with the charge standing; at last staff is asked
 *       └ refused → failed
 *
 * A registrar cannot take a renewal back. So the charge goes back only when it is certain that nothing was renewed, and
 * no path leaves a domain paid but not renewed, or renewed but not paid, once things settle. The order names the expiry
 * date that it renews (RFC 5731 §3.2.3), hence an order that is repeated renews once.
 */
export const renewDomain: Process<RenewalState, RenewalInput, RenewalEvent> = {
  category: "renewal",
  initialState: { status: "new" },
  decide,
  evolve,
};

type Facts = readonly RenewalEvent[];
type StartedState = Exclude<ActiveRenewalState, { status: "new" }>;
type Rejected = Extract<RenewalInput, { type: "rejected" }>;

const nothing: Facts = [];

/** Characters of a reason; a fact holds 1,000, with some words of ours around it. */
const reasonLimit = 500;

/** Registrars count days in time zones of their own: dates so far apart are the same, in milliseconds. */
const toleranceMs = 2 * 86_400_000;

function decide(given: RenewalInput, state: RenewalState): Facts {
  const input = bounded(given);
  if (state.status === "completed") return nothing;
  if (state.status === "parked") return decideParked(input);
  if (state.status === "new")
    return input.type === "started" ? [{ type: "RenewalRunStarted", data: input.renewal }] : nothing;
  if (input.type === "failed") return parked(input.reason, input.at);
  if (input.type === "rejected") return decideRejection(input, state);
  return decideStep(input, state);
}

/** Reasons are the words of other parties: whatever they hold must fit a fact, and the refund that repeats them. */
function bounded(input: RenewalInput): RenewalInput {
  const line = (text: string): string => asLine(text, reasonLimit, "no reason given");
  if ("reason" in input) return { ...input, reason: line(input.reason) };
  if (input.type !== "rejected") return input;
  return { ...input, rejection: { ...input.rejection, message: line(input.rejection.message) } };
}

/** One case for each step: what its answer means. An input that does not belong to the step adds nothing. */
function decideStep(input: RenewalInput, state: StartedState): Facts {
  const { at } = input;
  switch (state.status) {
    case "charging":
      return input.type === "charged" ? [{ type: "RenewalCharged", data: { ...input.charge, at } }] : nothing;
    case "ordering":
      return decideOrder(input, state.renewal);
    case "inquiring":
      return decideInquiry(input, state);
    case "confirming":
      return input.type === "accepted" ? completed("renewed", at) : nothing;
    case "refunding":
      return input.type === "refunded"
        ? [{ type: "RenewalChargeReturned", data: { correctionId: input.correctionId, at } }]
        : nothing;
    case "failing":
      return input.type === "accepted" ? completed("failed", at) : nothing;
    default:
      return assertNever(state);
  }
}

function decideOrder(input: RenewalInput, renewal: Renewal): Facts {
  const { at } = input;
  switch (input.type) {
    case "held":
      if (progressOf(renewal, input.expiresAt) === "renewed")
        return [{ type: "RenewalOrderCompleted", data: { expiresAt: input.expiresAt, at } }];
      return unknown("unanswered", `The registrar answered with the expiry date ${input.expiresAt}`, at);
    case "unreachable":
      return [{ type: "RenewalOrderRefused", data: { reason: input.reason, at } }];
    case "refused":
      // It may say no since the name was renewed already: by an order of this run, or an earlier one that came late.
      return unknown("rejected", input.reason, at);
    case "unknown":
      return unknown("unanswered", input.reason, at);
    case "resumed":
      return unknown("interrupted", "The run was interrupted", at);
    default:
      return nothing;
  }
}

function decideInquiry(input: RenewalInput, state: Inquiring): Facts {
  const { at } = input;
  switch (input.type) {
    case "held":
      return decideHolding(input.expiresAt, state, at);
    case "not-held":
      return refused(state, "The registrar does not hold the domain for us", at);
    case "refused":
    case "unreachable":
    case "unknown": {
      if (state.cause === "abandoned") return refused(state, state.reason, at);
      const attempts = state.attempts + 1;
      const { reason } = input;
      if (attempts >= inquiryLimit)
        return parked(`The registrar does not tell whether it renewed the domain: ${reason}`, at);
      const next = nextInquiryAt(attempts, at);
      return [{ type: "RenewalInquiryFailed", data: { reason, nextInquiryAt: next, at } }];
    }
    default:
      return nothing;
  }
}

function decideHolding(expiresAt: string, state: Inquiring, at: string): Facts {
  const progress = progressOf(state.renewal, expiresAt);
  switch (progress) {
    case "renewed":
      return [{ type: "RenewalOrderCompleted", data: { expiresAt, at } }];
    case "as-before":
      // An order that the registrar does not know was perhaps never sent; it is still wanted.
      if (state.cause === "interrupted") return [{ type: "RenewalOrderResumed", data: { at } }];
      return refused(state, "The registrar did not carry out the order", at);
    case "elsewhere":
      if (state.cause === "abandoned") return refused(state, state.reason, at);
      return parked(`The registrar has the expiry date ${expiresAt}, which is not this renewal's`, at);
    default:
      return assertNever(progress);
  }
}

/** What the registrar's expiry date tells of a renewal. */
function progressOf(
  { expiresAt: before, years }: Renewal,
  expiresAt: string,
): "renewed" | "as-before" | "elsewhere" {
  if (expiresAt >= addMilliseconds(addYears(before, years), -toleranceMs)) return "renewed";
  return expiresAt <= addMilliseconds(before, toleranceMs) ? "as-before" : "elsewhere";
}

/** It was not renewed, for certain. The words that led to the question say more than the answer to it. */
function refused({ cause, reason }: Inquiring, answer: string, at: string): Facts {
  const words = cause === "rejected" || cause === "abandoned" ? reason : answer;
  return [{ type: "RenewalOrderRefused", data: { reason: words, at } }];
}

function decideRejection({ rejection, at }: Rejected, state: StartedState): Facts {
  const { code, message } = rejection;
  if (state.status === "charging" && isChargeRefusal(rejection))
    return [{ type: "RenewalChargeRefused", data: { ...chargeRefusalOf(rejection), at } }];
  if (state.status === "refunding" && state.charge === undefined && code === "charge-not-found")
    return [{ type: "RenewalNeverCharged", data: { at } }];
  return parked(`${code}: ${message}`, at);
}

function decideParked(input: RenewalInput): Facts {
  const { at } = input;
  if (input.type === "retried") return [{ type: "RenewalUnparked", data: { at } }];
  if (input.type === "abandoned") return [{ type: "RenewalAbandoned", data: { reason: input.reason, at } }];
  return nothing;
}

function unknown(cause: Exclude<Inquiring["cause"], "abandoned">, reason: string, at: string): Facts {
  return [{ type: "RenewalOutcomeUnknown", data: { cause, reason, at } }];
}

function completed(outcome: "renewed" | "failed", at: string): Facts {
  return [{ type: "RenewalCompleted", data: { outcome, at } }];
}

function parked(reason: string, at: string): Facts {
  return [{ type: "RenewalParked", data: { reason, at } }];
}
