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

/** What is undone, and how far the run knows of it. */
interface Undoing {
  readonly charge: KnownCharge;
  readonly failure: OrderFailure;
  readonly then: ReleaseWhy | "settle";
  readonly notHeld?: NotHeld | undefined;
}

/** The way back of an order that is not carried out: fence → refund → settle with the provider, or release. */
export class WayBack<Subject, Held, Event extends DomainEvent> {
  readonly #definition: PaidOrderDefinition<Subject, Held, Event>;

  constructor(definition: PaidOrderDefinition<Subject, Held, Event>) {
    this.#definition = definition;
  }

  /** The first step back. */
  begin(subject: Subject, undoing: Undoing): PaidOrderState<Subject, Held> {
    const { charge, failure, then, notHeld } = undoing;
    if (this.#definition.fence?.isNeeded(undoing) === true)
      return { status: "fencing", subject, charge, failure, then, notHeld };
    return this.afterFence(subject, undoing);
  }

  /** The step after the aggregate's last word. */
  afterFence(subject: Subject, undoing: Undoing): PaidOrderState<Subject, Held> {
    const { charge, failure, then, notHeld } = undoing;
    // What was declined was not charged, and neither is a gift: any other may have been, known here or not.
    const mayBeCharged = failure.kind !== "declined" && this.#definition.charge(subject) !== undefined;
    return mayBeCharged
      ? { status: "refunding", subject, charge, failure, then, notHeld }
      : this.afterRefund(subject, undoing);
  }

  /** The step after the charge went back. */
  afterRefund(subject: Subject, { failure, then, notHeld }: Undoing): PaidOrderState<Subject, Held> {
    if (then !== "settle") return this.release({ subject, failure }, then);
    return { status: "settling", subject, failure, notHeld, attempts: 0, notBefore: notHeld?.askAgainAt };
  }

  /** The last step. */
  release(
    { subject, failure }: { readonly subject: Subject; readonly failure: OrderFailure },
    why: ReleaseWhy,
  ): PaidOrderState<Subject, Held> {
    return { status: "releasing", subject, failure, why };
  }

  /**
   * What staff's word leaves to do: return what was charged, release what was reserved. What our aggregate has stays, and
   * an order that the provider may hold is settled with it first; where it cannot be cancelled, it is asked once more.
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
        // Done, or undoing already: it goes on.
        return step;
      case "settling":
      case "cancelling":
        // Staff has settled it with the provider.
        return this.release(step, "abandoned");
      default:
        return assertNever(step);
    }
  }
}

/** The first attempt at a step is yet to be made. */
export const firstAttempt: Attempts = { attempts: 0, notBefore: undefined };

/** Steps at which the provider may have the order, and has not carried it out as far as is known here. */
type Ordered<Subject, Held> = Extract<
  ActiveStep<Subject, Held>,
  { status: "ordering" | "asking" | "awaiting" }
>;

/** Whether it is one of them. */
export function isOrdered<Subject, Held>(step: ActiveStep<Subject, Held>): step is Ordered<Subject, Held> {
  return step.status === "ordering" || step.status === "asking" || step.status === "awaiting";
}

/** What is said of an order whose run's owner died around it. */
export const interruption = { cause: "interrupted", reason: "The run was interrupted" } as const;

/** The provider is asked what became of an order. */
export function asking<Subject, Held>(
  { subject, charge }: Ordered<Subject, Held>,
  cause: InquiryCause,
  reason: string,
): ActiveStep<Subject, Held> {
  return { status: "asking", subject, charge, cause, reason, notHeld: undefined, ...firstAttempt };
}
