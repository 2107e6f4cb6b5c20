import { assertNever } from "../../kernel/assert-never.ts";
import type { DomainEvent } from "../../kernel/decider.ts";
import type { PaidOrderDefinition } from "./paid-order.definition.ts";
import type {
  ActiveStep,
  Attempts,
  InquiryCause,
  KnownCharge,
  NotHeld,
  OrderFailure,
  PaidOrderState,
  ReleaseWhy,
} from "./paid-order.state.ts";

/** The order to undo. `charge` is undefined if the run does not know whether the account was charged. */
interface Undoing {
  readonly charge: KnownCharge;
  readonly failure: OrderFailure;
  readonly then: ReleaseWhy | "settle";
  readonly notHeld?: NotHeld | undefined;
}

/** Undoes a failed order: fence → refund → settle with the provider, or release. */
export class WayBack<Subject, Held, Event extends DomainEvent> {
  readonly #definition: PaidOrderDefinition<Subject, Held, Event>;

  constructor(definition: PaidOrderDefinition<Subject, Held, Event>) {
    this.#definition = definition;
  }

  begin(subject: Subject, undoing: Undoing): PaidOrderState<Subject, Held> {
    const { charge, failure, then, notHeld } = undoing;
    if (this.#definition.fence?.isNeeded(undoing) === true)
      return { status: "fencing", subject, charge, failure, then, notHeld };
    return this.afterFence(subject, undoing);
  }

  afterFence(subject: Subject, undoing: Undoing): PaidOrderState<Subject, Held> {
    const { charge, failure, then, notHeld } = undoing;
    // A declined order and a gift were not charged. Any other order may have been.
    const mayBeCharged = failure.kind !== "declined" && this.#definition.charge(subject) !== undefined;
    return mayBeCharged
      ? { status: "refunding", subject, charge, failure, then, notHeld }
      : this.afterRefund(subject, undoing);
  }

  afterRefund(subject: Subject, { failure, then, notHeld }: Undoing): PaidOrderState<Subject, Held> {
    if (then !== "settle") return this.release({ subject, failure }, then);
    return { status: "settling", subject, failure, notHeld, attempts: 0, notBefore: notHeld?.askAgainAt };
  }

  release(
    { subject, failure }: { readonly subject: Subject; readonly failure: OrderFailure },
    why: ReleaseWhy,
  ): PaidOrderState<Subject, Held> {
    return { status: "releasing", subject, failure, why };
  }

  /**
   * Returns the step after staff ended the run: return the charge and release the reservation. A confirmed order stays.
   * If the provider may have the order, the run first cancels it there, or asks once more if it cannot be cancelled.
   */
  abandoned(step: ActiveStep<Subject, Held>, reason: string): PaidOrderState<Subject, Held> {
    const { subject } = step;
    const { provider } = this.#definition;
    const failure = { kind: "abandoned", reason } as const;
    switch (step.status) {
      case "preparing":
        return this.begin(subject, { charge: undefined, failure, then: "abandoned" });
      case "charging":
        return this.begin(subject, { charge: undefined, failure, then: step.again ? "settle" : "abandoned" });
      case "ordering":
      case "asking":
      case "awaiting":
      case "confirming": {
        const { charge } = step;
        if (provider === undefined) return this.begin(subject, { charge, failure, then: "abandoned" });
        if (provider.cancel !== undefined) return this.begin(subject, { charge, failure, then: "settle" });
        return step.status === "confirming" ? step : asking(step, "abandoned", reason);
      }
      case "confirmed":
      case "fencing":
      case "refunding":
      case "releasing":
        // The order is complete or is already being undone.
        return step;
      case "settling":
      case "cancelling":
        // Staff have cleared the order with the provider.
        return this.release(step, "abandoned");
      default:
        return assertNever(step);
    }
  }
}

/** The state of a step before its first attempt. */
export const firstAttempt: Attempts = { attempts: 0, notBefore: undefined };

/** Steps at which the provider may have the order and has not confirmed it. */
type Ordered<Subject, Held> = Extract<
  ActiveStep<Subject, Held>,
  { status: "ordering" | "asking" | "awaiting" }
>;

export function isOrdered<Subject, Held>(step: ActiveStep<Subject, Held>): step is Ordered<Subject, Held> {
  return step.status === "ordering" || step.status === "asking" || step.status === "awaiting";
}

/** Cause and reason of an order whose run's owner died around it. */
export const interruption = { cause: "interrupted", reason: "The run was interrupted" } as const;

/** Returns the step that asks the provider about an order. */
export function asking<Subject, Held>(
  { subject, charge }: Ordered<Subject, Held>,
  cause: InquiryCause,
  reason: string,
): ActiveStep<Subject, Held> {
  return { status: "asking", subject, charge, cause, reason, notHeld: undefined, ...firstAttempt };
}
