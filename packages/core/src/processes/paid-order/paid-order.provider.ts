import { addMilliseconds, epochMilliseconds } from "../../calendar/calendar.ts";
import { assertNever } from "../../kernel/assert-never.ts";
import type { DomainEvent } from "../../kernel/decider.ts";
import { nextAttemptAt } from "../retry-schedule.ts";
import {
  ordersUnrecorded,
  type PaidOrderDefinition,
  type Progress,
  type ProviderOrder,
} from "./paid-order.definition.ts";
import type { OrderEvent } from "./paid-order.events.ts";
import type { PaidOrderInput } from "./paid-order.inputs.ts";
import type { ActiveStep, InquiryCause, NotHeld } from "./paid-order.state.ts";
import { interruption } from "./paid-order.way-back.ts";

export type Step<Subject, Held, Status extends ActiveStep<Subject, Held>["status"]> = Extract<
  ActiveStep<Subject, Held>,
  { status: Status }
>;

/** Steps that wait for an answer of the provider. */
type AskedStep<Subject, Held> = Step<
  Subject,
  Held,
  "ordering" | "asking" | "awaiting" | "settling" | "cancelling"
>;

/** Decides which events a provider's answer adds: to an order, an inquiry or a cancellation. */
export class ProviderAnswers<Subject, Held, Event extends DomainEvent> {
  readonly #definition: PaidOrderDefinition<Subject, Held, Event>;
  readonly #quietMs: number;

  constructor(definition: PaidOrderDefinition<Subject, Held, Event>, quietMs: number) {
    this.#definition = definition;
    this.#quietMs = quietMs;
  }

  events(
    input: PaidOrderInput<Subject, Held>,
    state: AskedStep<Subject, Held>,
  ): readonly OrderEvent<Subject, Held>[] {
    switch (state.status) {
      case "ordering":
        return this.#ordered(input, state);
      case "asking":
        return this.#answered(input, state);
      case "awaiting":
        return this.#awaited(input, state);
      case "settling":
        return this.#settled(input, state);
      case "cancelling":
        return this.#cancelled(input, state);
      default:
        return assertNever(state);
    }
  }

  /** Returns the event for an order that an earlier owner of the run may have sent before it died. */
  mayBeOrdered(): readonly OrderEvent<Subject, Held>[] {
    return ordersUnrecorded(this.#definition) ? interrupted : [];
  }

  #ordered(
    input: PaidOrderInput<Subject, Held>,
    { subject, again }: Step<Subject, Held, "ordering">,
  ): readonly OrderEvent<Subject, Held>[] {
    const { asksAfterRefusal = false } = this.#provider;
    switch (input.type) {
      case "pending":
        return this.#pending(0, input.at);
      case "held": {
        const progress = this.#progress(subject, input.held);
        if (progress.kind === "held") return [{ role: "done", data: input.held }];
        return unanswered(
          "unanswered",
          progress.kind === "odd" ? progress.words : this.#provider.words.silent,
        );
      }
      case "refused":
      case "unreachable":
        // An earlier order with this id may still arrive or be in progress, so the run asks about it.
        if (again) return unanswered("unanswered", input.reason);
        if (asksAfterRefusal && input.type === "refused") return unanswered("rejected", input.reason);
        return refused(input.reason, input.type === "refused" ? input.code : undefined);
      case "unknown":
        return unanswered("unanswered", input.reason);
      case "resumed":
        return interrupted;
      default:
        return [];
    }
  }

  /** Handles the provider's answer to an inquiry while the account stays charged. */
  #answered(
    input: PaidOrderInput<Subject, Held>,
    state: Step<Subject, Held, "asking">,
  ): readonly OrderEvent<Subject, Held>[] {
    const { cause, reason, subject } = state;
    switch (input.type) {
      case "pending":
        // Staff end the run, but the provider did not withdraw the order.
        return cause === "abandoned" ? suspended(this.#provider.words.silent) : this.#pending(0, input.at);
      case "held": {
        const progress = this.#progress(subject, input.held);
        if (progress.kind === "held") return [{ role: "done", data: input.held }];
        if (progress.kind === "not-held") return this.#notHeld(state, input.at);
        return cause === "abandoned" ? refused(reason) : suspended(progress.words);
      }
      case "not-held":
        return this.#notHeld(state, input.at);
      case "refused":
        if (cause !== "abandoned" && this.#provider.pending !== undefined) return refused(input.reason);
        return cause === "abandoned" ? refused(reason) : this.#inquiryFailed(input, state);
      case "unreachable":
      case "unknown":
        if (cause !== "abandoned") return this.#inquiryFailed(input, state);
        // A pending order must not be left behind, because it could complete unpaid.
        return this.#provider.pending === undefined ? refused(reason) : suspended(input.reason);
      default:
        return [];
    }
  }

  /** Handles the provider's answer to an inquiry about a pending order. */
  #awaited(
    input: PaidOrderInput<Subject, Held>,
    { attempts }: Step<Subject, Held, "awaiting">,
  ): readonly OrderEvent<Subject, Held>[] {
    switch (input.type) {
      case "held":
        return [{ role: "done", data: input.held }];
      case "refused":
        return refused(input.reason);
      case "not-held":
        // The order was withdrawn elsewhere or the provider is wrong, so a second "not held" is needed.
        return unanswered("unanswered", this.#provider.words.notCarriedOut);
      case "pending":
        return this.#pending(attempts, input.at);
      case "unreachable":
      case "unknown":
        return this.#pending(attempts, input.at, input.reason);
      default:
        return [];
    }
  }

  /** Plans the next inquiry, or waits for staff. @param reason why the provider could not be asked this time. */
  #pending(attempts: number, at: string, reason?: string): readonly OrderEvent<Subject, Held>[] {
    const { pending, settlement, words } = this.#provider;
    const schedule = pending ?? settlement;
    if (attempts >= schedule.limit) return suspended(words.silent);
    const nextInquiryAt = nextAttemptAt(schedule, attempts + 1, at);
    if (reason === undefined) return [{ role: "pending", data: { nextInquiryAt } }];
    return [{ role: "inquiryFailed", data: { reason, nextInquiryAt } }];
  }

  /**
   * Handles "not held". After an order without an answer, only a second "not held" counts, because orders may arrive
   * late.
   */
  #notHeld(state: Step<Subject, Held, "asking">, at: string): readonly OrderEvent<Subject, Held>[] {
    const { cause, reason, notHeld } = state;
    switch (cause) {
      case "interrupted":
        // The order may never have been sent, and is still wanted. If it is on its way, both have the same id and the
        // provider carries out one. The run asks again after a refusal.
        return [{ role: "resumed", data: {} }];
      case "rejected":
      case "abandoned":
        // The reason of the inquiry is more precise than its answer.
        return refused(reason);
      case "unanswered":
        if (this.#provider.cancel === undefined && this.#counts(notHeld, at))
          return refused(this.#provider.words.notCarriedOut);
        return this.#saidOnce(at);
      default:
        return assertNever(cause);
    }
  }

  #settled(
    input: PaidOrderInput<Subject, Held>,
    state: Step<Subject, Held, "settling">,
  ): readonly OrderEvent<Subject, Held>[] {
    const { at } = input;
    switch (input.type) {
      case "held":
        return [{ role: "cancellationDue", data: { nextAttemptAt: at } }];
      case "not-held":
        return this.#counts(state.notHeld, at)
          ? refused(this.#provider.words.notCarriedOut)
          : this.#saidOnce(at);
      case "refused":
      case "unreachable":
      case "unknown":
        return this.#inquiryFailed(input, state);
      default:
        return [];
    }
  }

  #cancelled(
    input: PaidOrderInput<Subject, Held>,
    { attempts }: Step<Subject, Held, "cancelling">,
  ): readonly OrderEvent<Subject, Held>[] {
    const { settlement, words } = this.#provider;
    switch (input.type) {
      case "done":
        return [{ role: "cancelled", data: {} }];
      case "refused":
      case "unreachable":
      case "unknown": {
        if (attempts + 1 >= settlement.limit)
          return suspended(`${words.notCancelled ?? "It could not be cancelled"}: ${input.reason}`);
        const next = nextAttemptAt(settlement, attempts + 1, input.at);
        return [{ role: "cancellationDue", data: { nextAttemptAt: next } }];
      }
      default:
        return [];
    }
  }

  #inquiryFailed(
    { reason, at }: { readonly reason: string; readonly at: string },
    state: Step<Subject, Held, "asking" | "settling">,
  ): readonly OrderEvent<Subject, Held>[] {
    const { inquiries, settlement, words, cancel } = this.#provider;
    const attempts = state.attempts + 1;
    const brief = state.status === "asking" ? inquiries.limit : 0;
    // If the order can be cancelled, the brief inquiries end with the refund.
    const isBrief = state.status === "asking" && (cancel !== undefined || attempts < brief);
    if (!isBrief && attempts >= brief + settlement.limit) return suspended(`${words.silent}: ${reason}`);
    const patient = state.status === "asking" ? attempts - brief + 1 : attempts;
    const next = isBrief ? nextAttemptAt(inquiries, attempts, at) : nextAttemptAt(settlement, patient, at);
    return [{ role: "inquiryFailed", data: { reason, nextInquiryAt: next } }];
  }

  #saidOnce(at: string): readonly OrderEvent<Subject, Held>[] {
    return [{ role: "notHeld", data: { askAgainAt: addMilliseconds(at, this.#quietMs) } }];
  }

  /** True if the quiet period lies between the two answers. A clock that was set back restarts the period. */
  #counts(notHeld: NotHeld | undefined, at: string): boolean {
    if (notHeld === undefined) return false;
    return epochMilliseconds(at) - epochMilliseconds(notHeld.saidAt) >= this.#quietMs;
  }

  #progress(subject: Subject, held: Held): Progress {
    return this.#provider.progress?.(subject, held) ?? { kind: "held" };
  }

  get #provider(): ProviderOrder<Subject, Held> {
    const { provider } = this.#definition;
    if (provider === undefined) throw new Error(`${this.#definition.category} has no provider to ask`);
    return provider;
  }
}

function unanswered(cause: InquiryCause, reason: string): readonly OrderEvent<never, never>[] {
  return [{ role: "unanswered", data: { cause, reason } }];
}

const interrupted = unanswered(interruption.cause, interruption.reason);

function refused(reason: string, code?: string): readonly OrderEvent<never, never>[] {
  return [{ role: "refused", data: code === undefined ? { reason } : { reason, code } }];
}

export function suspended(reason: string): readonly OrderEvent<never, never>[] {
  return [{ role: "suspended", data: { reason } }];
}
