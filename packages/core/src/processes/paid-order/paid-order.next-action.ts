import { assertNever } from "../../kernel/assert-never.ts";
import type { DomainEvent } from "../../kernel/decider.ts";
import { ordersUnrecorded, type PaidOrderDefinition } from "./paid-order.definition.ts";
import { delayMs } from "../retry-schedule.ts";
import type { OrderCommand, PaidOrderAction, ProviderRequest } from "./paid-order.inputs.ts";
import type { ActiveStep, Attempts, OrderFailure, PaidOrderState } from "./paid-order.state.ts";

/** Chooses the next action of a run from its step. */
export class PaidOrderPlan<Subject, Held, Event extends DomainEvent> {
  readonly #definition: PaidOrderDefinition<Subject, Held, Event>;
  readonly #quietMs: number;

  constructor(definition: PaidOrderDefinition<Subject, Held, Event>, quietMs: number) {
    this.#definition = definition;
    this.#quietMs = quietMs;
  }

  next(state: PaidOrderState<Subject, Held>, at: string): PaidOrderAction<Held> {
    switch (state.status) {
      case "new":
      case "confirmed":
      case "ended":
        return { kind: "complete" };
      case "suspended":
        return { kind: "suspend", reason: state.reason };
      default:
        return this.#step(state, at);
    }
  }

  #step(
    state: Exclude<ActiveStep<Subject, Held>, { status: "confirmed" }>,
    at: string,
  ): PaidOrderAction<Held> {
    const { subject } = state;
    const { provider, fence } = this.#definition;
    switch (state.status) {
      case "preparing": {
        const step = this.#definition.prepare?.(subject, at)[state.prepared];
        return step === undefined ? { kind: "complete" } : this.#begin(state.prepared === 0, step.command);
      }
      case "charging": {
        const charge = this.#definition.charge(subject);
        if (charge === undefined) return { kind: "complete" };
        return this.#begin(this.#definition.prepare === undefined, { to: "account", charge });
      }
      case "ordering": {
        const isFirst = ordersUnrecorded(this.#definition) && state.charge !== null && !state.again;
        return this.#call(provider?.order(subject), { isFirst });
      }
      case "asking":
      case "settling":
        return this.#call(
          provider?.inquire(subject, state.status === "asking" && state.cause === "abandoned", false),
          state,
        );
      case "awaiting":
        return this.#call(
          provider?.inquire(subject, false, true),
          { ...state, failures: state.failures ?? 0 },
          provider?.pending,
        );
      case "cancelling":
        return this.#call(provider?.cancel?.(subject), state);
      case "confirming": {
        const command = this.#definition.confirm(subject, state.charge, state.held, at);
        // Without a fence, the run stores the answer first. Otherwise a later owner could get another answer and return the
        // money.
        return { kind: fence === undefined ? "compensate" : "send", command };
      }
      case "fencing":
        if (fence === undefined) return { kind: "complete" };
        return { kind: "compensate", command: fence.command(subject, state, at) };
      case "refunding": {
        const { accountId, chargeId } = this.#definition.payer(subject);
        const refund = {
          accountId,
          chargeId,
          of: this.#definition.refundOf,
          reason: reasonOf(state.failure),
        };
        return { kind: "compensate", command: { to: "account", refund } };
      }
      case "releasing":
        return {
          kind: "compensate",
          command: this.#definition.release(subject, state.failure, state.why, at),
        };
      default:
        return assertNever(state);
    }
  }

  /** Makes the first command of a run. If no other stream shows the run, its events are stored before the command. */
  #begin(isFirst: boolean, command: OrderCommand<Held>): PaidOrderAction<Held> {
    const isUnrecorded = isFirst && this.#definition.begins === undefined;
    return { kind: isUnrecorded ? "compensate" : "send", command };
  }

  #call(
    request: ProviderRequest | undefined,
    {
      attempts = 0,
      failures = attempts,
      notBefore,
      isFirst = false,
    }: Partial<Attempts> & { readonly failures?: number; readonly isFirst?: boolean } = {},
    schedule = this.#definition.provider?.settlement,
  ): PaidOrderAction<Held> {
    if (request === undefined) return { kind: "complete" };
    const dueMs = schedule === undefined ? 0 : Math.max(schedule.longestDelayMs, delayMs(schedule, attempts));
    const longestPauseMs = Math.max(dueMs, this.#quietMs);
    return { kind: "call", request, isFirst, failures, notBefore, longestPauseMs };
  }
}

/** Returns the reason of a failure for the account and the aggregates. */
export function reasonOf(failure: OrderFailure): string {
  return failure.kind === "declined" ? failure.refusal.message : failure.reason;
}
