import { assertNever } from "../../kernel/assert-never.ts";
import type { DomainEvent } from "../../kernel/decider.ts";
import type { PaidOrderDefinition } from "./paid-order.definition.ts";
import type { OrderEvent, Outcomes } from "./paid-order.events.ts";
import type { ActiveStep, KnownCharge, OrderFailure, PaidOrderState } from "./paid-order.state.ts";
import { asking, firstAttempt, interruption, isOrdered, WayBack } from "./paid-order.way-back.ts";

/** Folds the events of a run into the next step of its flow. */
export class PaidOrderEvolution<Subject, Held, Event extends DomainEvent> {
  readonly #definition: PaidOrderDefinition<Subject, Held, Event>;
  readonly #outcomes: Outcomes;
  readonly #back: WayBack<Subject, Held, Event>;

  constructor(definition: PaidOrderDefinition<Subject, Held, Event>, outcomes: Outcomes) {
    this.#definition = definition;
    this.#outcomes = outcomes;
    this.#back = new WayBack(definition);
  }

  /** Returns the state after the event; undefined if the event cannot follow this state. */
  after(
    state: PaidOrderState<Subject, Held>,
    { event, at }: { readonly event: OrderEvent<Subject, Held>; readonly at: string },
  ): PaidOrderState<Subject, Held> | undefined {
    if (state.status === "new") {
      return event.role === "begun" ? this.#prepare(event.data, 0) : undefined;
    }
    if (state.status === "ended") return undefined;
    if (state.status === "suspended") {
      if (event.role === "retried") return this.#afresh(state.step);
      return event.role === "abandoned" ? this.#back.abandoned(state.step, event.data.reason) : undefined;
    }
    if (event.role === "suspended")
      return { status: "suspended", subject: state.subject, reason: event.data.reason, step: state };
    return this.#step(state, event, at);
  }

  #step(
    state: ActiveStep<Subject, Held>,
    event: OrderEvent<Subject, Held>,
    at: string,
  ): PaidOrderState<Subject, Held> | undefined {
    switch (event.role) {
      case "prepared":
        return state.status === "preparing" ? this.#prepare(state.subject, state.prepared + 1) : undefined;
      case "charged":
        return state.status === "charging" ? this.#paid(state, event.data) : undefined;
      case "declined": {
        if (state.status !== "preparing" && state.status !== "charging") return undefined;
        const failure = { kind: "declined", refusal: event.data } as const;
        return this.#back.begin(state.subject, { charge: null, failure, then: "charge-refused" });
      }
      case "done":
      case "refused":
      case "pending":
      case "unanswered":
      case "inquiryFailed":
      case "notHeld":
      case "resumed":
        return this.#provider(state, event, at);
      case "confirmed":
        if (state.status !== "confirming" && state.status !== "fencing") return undefined;
        return this.#confirmed(state, state.status === "confirming" ? state.held : undefined);
      case "fenced":
        return state.status === "fencing" ? this.#back.afterFence(state.subject, state) : undefined;
      case "neverCharged":
      case "returned":
        // An earlier design also looked for a refused charge and stored that there was none.
        if (state.status === "releasing" && state.failure.kind === "declined") return state;
        return state.status === "refunding" ? this.#back.afterRefund(state.subject, state) : undefined;
      case "cancellationDue": {
        const { nextAttemptAt: notBefore } = event.data;
        if (state.status === "settling")
          return { status: "cancelling", subject: state.subject, failure: state.failure, ...firstAttempt };
        if (state.status !== "cancelling") return undefined;
        return { ...state, attempts: state.attempts + 1, notBefore };
      }
      case "cancelled":
        return state.status === "cancelling" ? this.#back.release(state, "order-cancelled") : undefined;
      case "historic":
        return state.status === "confirmed" ? state : undefined;
      case "ended":
        return this.#ended(state, event.data.outcome);
      case "begun":
      case "suspended":
      case "retried":
      case "abandoned":
        return undefined;
      default:
        return assertNever(event);
    }
  }

  #provider(
    state: ActiveStep<Subject, Held>,
    event: Extract<
      OrderEvent<Subject, Held>,
      { role: "done" | "refused" | "pending" | "unanswered" | "inquiryFailed" | "notHeld" | "resumed" }
    >,
    at: string,
  ): PaidOrderState<Subject, Held> | undefined {
    const { subject } = state;
    switch (event.role) {
      case "done": {
        const held = event.data;
        if (this.#definition.provider === undefined)
          return state.status === "confirming" || state.status === "fencing"
            ? this.#confirmed(state, held)
            : undefined;
        return isOrdered(state) ? { status: "confirming", subject, charge: state.charge, held } : undefined;
      }
      case "pending": {
        if (!isOrdered(state)) return undefined;
        const attempts = state.status === "awaiting" ? state.attempts + 1 : 1;
        const notBefore = event.data.nextInquiryAt;
        return { status: "awaiting", subject, charge: state.charge, attempts, notBefore };
      }
      case "refused":
        return this.#refused(state, event.data);
      case "unanswered":
        if (state.status === "charging") return { ...state, again: true };
        return isOrdered(state) ? asking(state, event.data.cause, event.data.reason) : undefined;
      case "inquiryFailed":
        return this.#inquiryFailed(state, event.data);
      case "notHeld": {
        const notHeld = { saidAt: at, askAgainAt: event.data.askAgainAt };
        if (state.status === "settling") return { ...state, notHeld, notBefore: notHeld.askAgainAt };
        if (state.status !== "asking") return undefined;
        const { provider } = this.#definition;
        if (provider?.cancel === undefined) return { ...state, notHeld, notBefore: notHeld.askAgainAt };
        // Return the money now. A resource that appears later is cancelled.
        const failure = failed(provider.words.notCarriedOut);
        return this.#back.begin(subject, { charge: state.charge, failure, then: "settle", notHeld });
      }
      case "resumed":
        return state.status === "asking" || state.status === "ordering"
          ? { status: "ordering", subject, charge: state.charge, again: true }
          : undefined;
      default:
        return assertNever(event);
    }
  }

  #refused(
    state: ActiveStep<Subject, Held>,
    { reason, code }: { readonly reason: string; readonly code?: string | null },
  ): PaidOrderState<Subject, Held> | undefined {
    switch (state.status) {
      case "settling":
        return this.#back.release(state, "order-not-carried-out");
      case "ordering":
      case "confirming": {
        const { charge } = state;
        return this.#back.begin(state.subject, {
          charge,
          failure: failed(reason, code),
          then: "order-refused",
        });
      }
      case "asking":
      case "awaiting": {
        const { charge } = state;
        const failure: OrderFailure =
          state.status === "asking" && state.cause === "abandoned"
            ? { kind: "abandoned", reason }
            : failed(reason, code);
        return this.#back.begin(state.subject, { charge, failure, then: "order-not-carried-out" });
      }
      default:
        return undefined;
    }
  }

  #inquiryFailed(
    state: ActiveStep<Subject, Held>,
    { reason, nextInquiryAt }: { readonly reason: string; readonly nextInquiryAt: string },
  ): PaidOrderState<Subject, Held> | undefined {
    if (state.status !== "asking" && state.status !== "awaiting" && state.status !== "settling")
      return undefined;
    const attempts = state.attempts + 1;
    if (state.status === "awaiting")
      return { ...state, attempts, failures: (state.failures ?? 0) + 1, notBefore: nextInquiryAt };
    const { provider } = this.#definition;
    const goesOn =
      state.status !== "asking" || provider?.cancel === undefined || attempts < provider.inquiries.limit;
    if (goesOn) return { ...state, attempts, notBefore: nextInquiryAt };
    // The outcome is unknown: return the money now, and reserve the resource until the provider answers.
    return this.#back.begin(state.subject, { charge: state.charge, failure: failed(reason), then: "settle" });
  }

  #prepare(subject: Subject, prepared: number): PaidOrderState<Subject, Held> {
    const { prepare } = this.#definition;
    const steps = prepare?.(subject, "") ?? [];
    if (prepared < steps.length) return { status: "preparing", subject, prepared };
    return this.#definition.charge(subject) === undefined
      ? this.#paid({ subject, again: false }, null)
      : { status: "charging", subject, again: false };
  }

  #paid(
    { subject, again }: { readonly subject: Subject; readonly again: boolean },
    charge: Extract<ActiveStep<Subject, Held>, { status: "ordering" }>["charge"],
  ): PaidOrderState<Subject, Held> {
    return this.#definition.provider === undefined
      ? { status: "confirming", subject, charge, held: undefined }
      : { status: "ordering", subject, charge, again };
  }

  #confirmed(
    { subject, charge }: { readonly subject: Subject; readonly charge: KnownCharge },
    held: Held | undefined,
  ): PaidOrderState<Subject, Held> {
    return { status: "confirmed", subject, charge, held };
  }

  #ended(state: ActiveStep<Subject, Held>, outcome: string): PaidOrderState<Subject, Held> | undefined {
    const { subject } = state;
    const { done, declined, undone } = this.#outcomes;
    switch (state.status) {
      case "confirming":
      case "confirmed": {
        const { charge, held } = state;
        return outcome === done
          ? { status: "ended", subject, answer: { kind: "done", charge, held } }
          : undefined;
      }
      case "fencing": {
        const { charge } = state;
        return outcome === done
          ? { status: "ended", subject, answer: { kind: "done", charge, held: undefined } }
          : undefined;
      }
      case "releasing": {
        const { failure } = state;
        const expected = failure.kind === "declined" ? declined : undone;
        return outcome === expected ? { status: "ended", subject, answer: failure } : undefined;
      }
      default:
        return undefined;
    }
  }

  /**
   * Returns the step of a suspended run with its attempts reset. An order without an answer may have been carried out, so
   * the run asks first: a refusal of a second order would not show the fate of the first.
   */
  #afresh(step: ActiveStep<Subject, Held>): PaidOrderState<Subject, Held> {
    if (step.status === "ordering") return asking(step, interruption.cause, interruption.reason);
    return "attempts" in step ? { ...step, ...firstAttempt } : step;
  }
}

function failed(reason: string, code: string | null = null): OrderFailure {
  return { kind: "failed", reason, code };
}
