import { assertNever } from "../../kernel/assert-never.ts";
import type { Process } from "../../kernel/process.ts";
import { asLine } from "../../kernel/values.ts";
import { chargeRefusalOf, isChargeRefusal } from "../charge-refusal.ts";
import { nextAttemptAt, type RetrySchedule } from "../retry-schedule.ts";
import { computeInquirySchedule, computeSettlementSchedule } from "./compute-schedules.ts";
import type { ServerOrderEvent } from "./order-server.events.ts";
import { evolve } from "./order-server.evolution.ts";
import type { ServerOrderInput } from "./order-server.inputs.ts";
import type { ActiveServerOrder, ServerOrderFailure, ServerOrderState } from "./order-server.state.ts";

/**
 * The order of a server, from the unit to the server or the refund:
 *
 *     reserve a unit → place → charge → provision → record → provisioned
 *       │                        │        ├ refused ───────────→ fail → refund → return the unit
 *       │                        │        └ unknown → ask ┬ held → record …
 *       │                        │                        ├ not held → fail → refund → return
 *       │                        │                        └ unknown → fail → refund → ask on → destroy → return
 *       │                        └ refused → fail → return the unit
 *       └ out of stock → fail → return (there is nothing to return)
 *
 * `place` and `fail` tell the server's own stream, which has the last word on what became of the order. A gift by staff
 * takes no unit and is not charged: it begins with `place`, and nothing goes back.
 *
 * No path leaves a server paid but not there, there but not paid, or a unit gone with no server, once things settle.
 */
export const orderServer: Process<ServerOrderState, ServerOrderInput, ServerOrderEvent> = {
  category: "serverorder",
  initialState: { status: "new" },
  decide,
  evolve,
};

type Facts = readonly ServerOrderEvent[];
type StartedState = Exclude<ActiveServerOrder, { status: "new" }>;
type Asking = Extract<ActiveServerOrder, { attempts: number }>;
type Rejected = Extract<ServerOrderInput, { type: "rejected" }>;

const nothing: Facts = [];

/** Characters of a reason; a fact holds 1,000, with some words of ours around it. */
const reasonLimit = 500;
const notCarriedOut = "The server was not set up";

function decide(given: ServerOrderInput, state: ServerOrderState): Facts {
  const input = bounded(given);
  const { at } = input;
  switch (state.status) {
    case "completed":
      return nothing;
    case "parked":
      if (input.type === "retried") return [{ type: "ServerOrderUnparked", data: { at } }];
      if (input.type !== "abandoned") return nothing;
      return [{ type: "ServerOrderAbandoned", data: { reason: input.reason, at } }];
    case "new":
      if (input.type !== "ordered") return nothing;
      return [{ type: "ServerOrderStarted", data: { ...input.order, startedAt: at } }];
    default:
      if (input.type === "failed") return parked(input.reason, at);
      if (input.type === "rejected") return decideRejection(input, state);
      return decideStep(input, state);
  }
}

/** Reasons are the words of other parties: whatever they hold must fit a fact, and the refund that repeats them. */
function bounded(input: ServerOrderInput): ServerOrderInput {
  const line = (text: string): string => asLine(text, reasonLimit, "no reason given");
  if ("reason" in input) return { ...input, reason: line(input.reason) };
  if (input.type !== "rejected") return input;
  return { ...input, rejection: { ...input.rejection, message: line(input.rejection.message) } };
}

/** One case for each step: what its answer means. An input that does not belong to the step adds nothing. */
function decideStep(input: ServerOrderInput, state: StartedState): Facts {
  const { at } = input;
  switch (state.status) {
    case "reserving":
      return input.type === "accepted" ? [{ type: "ServerOrderUnitTaken", data: { at } }] : nothing;
    case "placing":
      return input.type === "accepted" ? [{ type: "ServerOrderPlaced", data: { at } }] : nothing;
    case "charging":
      return input.type === "charged"
        ? [{ type: "ServerOrderCharged", data: { ...input.charge, at } }]
        : nothing;
    case "provisioning":
      return decideProvisioning(input);
    case "inquiring":
      return decideInquiry(input, state);
    case "recording":
      return input.type === "accepted" ? provisioned(at) : nothing;
    case "failing":
      return input.type === "accepted" ? [{ type: "ServerOrderFailureRecorded", data: { at } }] : nothing;
    case "refunding":
      return input.type === "refunded"
        ? [{ type: "ServerOrderChargeReturned", data: { correctionId: input.correctionId, at } }]
        : nothing;
    case "settling":
      return decideSettlement(input, state);
    case "destroying":
      return decideDestruction(input, state);
    case "returning":
      return input.type === "accepted" ? [endedWithout(state.failure, at)] : nothing;
    default:
      return assertNever(state);
  }
}

function decideProvisioning(input: ServerOrderInput): Facts {
  const { at } = input;
  switch (input.type) {
    case "held":
      return [{ type: "ComputeOrderCompleted", data: { ...input.place, at } }];
    case "refused":
      return [{ type: "ComputeOrderRefused", data: { reason: input.reason, at } }];
    case "unknown":
      return [{ type: "ComputeOutcomeUnknown", data: { cause: "unanswered", reason: input.reason, at } }];
    case "resumed":
      return [
        {
          type: "ComputeOutcomeUnknown",
          data: { cause: "interrupted", reason: "The run was interrupted", at },
        },
      ];
    default:
      return nothing;
  }
}

function decideInquiry(input: ServerOrderInput, state: Extract<Asking, { status: "inquiring" }>): Facts {
  const { at } = input;
  switch (input.type) {
    case "held":
      return [{ type: "ComputeOrderCompleted", data: { ...input.place, at } }];
    case "not-held":
      // An order that nobody knows of was perhaps never sent; the customer still wants it.
      if (state.cause === "interrupted") return [{ type: "ComputeOrderResumed", data: { at } }];
      return [{ type: "ComputeOrderRefused", data: { reason: notCarriedOut, at } }];
    case "refused":
    case "unknown":
      return [inquiryFailed(input.reason, at, computeInquirySchedule, state.attempts)];
    default:
      return nothing;
  }
}

function decideSettlement(input: ServerOrderInput, { attempts }: Asking): Facts {
  const { at } = input;
  switch (input.type) {
    case "held":
      return [{ type: "ComputeDestructionDue", data: { nextAttemptAt: at, at } }];
    case "not-held":
      return [{ type: "ComputeOrderRefused", data: { reason: notCarriedOut, at } }];
    case "refused":
    case "unknown":
      if (attempts + 1 >= computeSettlementSchedule.limit)
        return parked(`Nobody tells whether the server exists: ${input.reason}`, at);
      return [inquiryFailed(input.reason, at, computeSettlementSchedule, attempts)];
    default:
      return nothing;
  }
}

function decideDestruction(input: ServerOrderInput, { attempts }: Asking): Facts {
  const { at } = input;
  switch (input.type) {
    case "done":
      return [{ type: "ComputeServerDestroyed", data: { at } }];
    case "refused":
    case "unknown": {
      if (attempts + 1 >= computeSettlementSchedule.limit)
        return parked(`The server could not be destroyed: ${input.reason}`, at);
      const next = nextAttemptAt(computeSettlementSchedule, attempts + 1, at);
      return [{ type: "ComputeDestructionDue", data: { nextAttemptAt: next, at } }];
    }
    default:
      return nothing;
  }
}

/** An aggregate refused a step: sometimes that tells how far an earlier owner of the run came; else it is for staff. */
function decideRejection({ rejection, at }: Rejected, state: StartedState): Facts {
  const { code, message } = rejection;
  switch (state.status) {
    case "reserving":
      if (code === "out-of-stock") return [refused(rejection, at)];
      break;
    case "charging":
      if (isChargeRefusal(rejection)) return [refused(rejection, at)];
      break;
    case "failing":
      // The server was recorded by an owner that died before it could tell: it is kept, and its charge too.
      if (code === "order-completed") return provisioned(at);
      // A stream that never told of the order needs no word of its end.
      if (code === "order-not-found") return [{ type: "ServerOrderFailureRecorded", data: { at } }];
      break;
    case "refunding":
      if (state.charge === null && code === "charge-not-found")
        return [{ type: "ServerOrderNeverCharged", data: { at } }];
      break;
    default:
  }
  return parked(`${code}: ${message}`, at);
}

function refused(rejection: Rejected["rejection"], at: string): ServerOrderEvent {
  return { type: "ServerOrderRefused", data: { ...chargeRefusalOf(rejection), at } };
}

function provisioned(at: string): Facts {
  return [{ type: "ServerOrderCompleted", data: { outcome: "provisioned", at } }];
}

function endedWithout(failure: ServerOrderFailure, at: string): ServerOrderEvent {
  const outcome = failure.kind === "refused" ? "refused" : "failed";
  return { type: "ServerOrderCompleted", data: { outcome, at } };
}

function inquiryFailed(
  reason: string,
  at: string,
  schedule: RetrySchedule,
  attempts: number,
): ServerOrderEvent {
  return {
    type: "ComputeInquiryFailed",
    data: { reason, nextInquiryAt: nextAttemptAt(schedule, attempts + 1, at), at },
  };
}

function parked(reason: string, at: string): Facts {
  return [{ type: "ServerOrderParked", data: { reason, at } }];
}
