import { assertNever } from "../../kernel/assert-never.ts";
import type { ChargeRefusal } from "../charge-refusal.ts";

export interface Charge {
  readonly chargeId: string;
  readonly invoiceId: number;
  /** Cents (EUR). */
  readonly grossCents: string;
}

export type OrderFailure =
  /** The account or the stock refused, so nothing was charged. */
  | { readonly kind: "declined"; readonly refusal: ChargeRefusal }
  /** `code` is the rejection's code if one of our aggregates refused. */
  | { readonly kind: "failed"; readonly reason: string; readonly code: string | null }
  | { readonly kind: "abandoned"; readonly reason: string };

/** The reason why a reservation is released. */
export type ReleaseWhy =
  | "charge-refused"
  | "order-refused"
  | "order-not-carried-out"
  | "order-cancelled"
  | "abandoned";

/** The reason why the run asks the provider about an order. */
export type InquiryCause =
  /** The run's owner died around the order, which may never have been sent. */
  | "interrupted"
  /** The order was sent and not answered, so it may still be carried out. */
  | "unanswered"
  /** The provider refused, perhaps because the order was already carried out. */
  | "rejected"
  /** Staff end the run. The run asks the provider once more, because a completed order must be paid. */
  | "abandoned";

/** The provider's "not held", which counts only after a second one, past the quiet period. */
export interface NotHeld {
  readonly saidAt: string;
  readonly askAgainAt: string;
}

/** Attempts of a step without an answer, and the time of the next attempt. */
export interface Attempts {
  readonly attempts: number;
  readonly notBefore: string | undefined;
}

/** Null: nothing to pay. Undefined: the run does not know whether the account was charged. */
export type KnownCharge = Charge | null | undefined;

/** Steps towards the ordered resource. */
type Towards<Held> =
  | { readonly status: "preparing"; readonly prepared: number }
  /** `again`: an earlier owner may have charged and ordered. */
  | { readonly status: "charging"; readonly again: boolean }
  /** `again`: an order with this id may already be on its way, and a refusal does not show its outcome. */
  | { readonly status: "ordering"; readonly charge: Charge | null; readonly again: boolean }
  | ({
      readonly status: "asking";
      readonly charge: Charge | null;
      readonly cause: InquiryCause;
      readonly reason: string;
      readonly notHeld: NotHeld | undefined;
    } & Attempts)
  /** The provider accepted the order. The run asks until the order is carried out or refused. */
  | ({
      readonly status: "awaiting";
      readonly charge: Charge | null;
      /** Inquiries in a row without an answer. */
      readonly failures?: number;
    } & Attempts)
  /** `held` is undefined if the process has no provider. */
  | { readonly status: "confirming"; readonly charge: Charge | null; readonly held: Held | undefined }
  /** The aggregate has recorded the order; only the last event is missing. */
  | { readonly status: "confirmed"; readonly charge: KnownCharge; readonly held: Held | undefined };

type Undoing = { readonly failure: OrderFailure } & (
  | {
      /** The aggregate checks whether the order was confirmed; then the charge is returned. */
      readonly status: "fencing" | "refunding";
      readonly charge: KnownCharge;
      readonly then: ReleaseWhy | "settle";
      readonly notHeld: NotHeld | undefined;
    }
  | ({ readonly status: "settling"; readonly notHeld: NotHeld | undefined } & Attempts)
  | ({ readonly status: "cancelling" } & Attempts)
  | { readonly status: "releasing"; readonly why: ReleaseWhy }
);

/** A step of a run that does not wait for staff. */
export type ActiveStep<Subject, Held> = { readonly subject: Subject } & (Towards<Held> | Undoing);

export type PaidOrderState<Subject, Held> =
  | { readonly status: "new" }
  | ActiveStep<Subject, Held>
  /** Waits for staff; a retry continues with `step`. */
  | {
      readonly status: "suspended";
      readonly subject: Subject;
      readonly reason: string;
      readonly step: ActiveStep<Subject, Held>;
    }
  | { readonly status: "ended"; readonly subject: Subject; readonly answer: FinalAnswer<Held> };

export type FinalAnswer<Held> =
  | { readonly kind: "done"; readonly charge: KnownCharge; readonly held: Held | undefined }
  | OrderFailure;

/**
 * The answer to the caller. `pending`: the provider decides later. `unsettled`: the outcome is unknown, and the run or
 * staff continue.
 */
export type PaidOrderAnswer<Held> =
  | FinalAnswer<Held>
  | { readonly kind: "pending"; readonly charge: Charge | null }
  | { readonly kind: "unsettled"; readonly reason: string };

/** Limits a caller's wait for inquiries while the account stays charged. */
export interface QuestionBound {
  readonly inquiries: number;
  /** Milliseconds. */
  readonly quietMs: number;
}

/** Longest quiet period that a caller waits for, in milliseconds. Gateways and clients have longer timeouts. */
const longestQuietWaitMs = 15_000;

/**
 * Returns the answer to the caller as soon as it is certain; undefined before. The run may continue after the answer, for
 * example with inquiries until the provider certainly has nothing.
 * @param questionBound limit of the wait if an unanswered order cannot be cancelled, because its charge stands meanwhile.
 */
export function paidOrderAnswer<Subject, Held>(
  state: PaidOrderState<Subject, Held>,
  questionBound: QuestionBound | undefined,
): PaidOrderAnswer<Held> | undefined {
  switch (state.status) {
    case "ended":
      return state.answer;
    case "confirmed":
      return { kind: "done", charge: state.charge, held: state.held };
    case "settling":
    case "cancelling":
      return state.failure;
    case "awaiting":
      return { kind: "pending", charge: state.charge };
    case "asking": {
      if (questionBound === undefined) return undefined;
      const { attempts, notHeld, reason } = state;
      const isLong = notHeld !== undefined && questionBound.quietMs > longestQuietWaitMs;
      return isLong || attempts >= questionBound.inquiries ? { kind: "unsettled", reason } : undefined;
    }
    case "suspended":
      return suspendedAnswer(state);
    case "new":
    case "preparing":
    case "charging":
    case "ordering":
    case "confirming":
    case "fencing":
    case "refunding":
    case "releasing":
      return undefined;
    default:
      return assertNever(state);
  }
}

/**
 * Returns the answer of a run that waits for staff. The answer is certain if the order is confirmed or the account has
 * its money.
 */
function suspendedAnswer<Subject, Held>({
  step,
  reason,
}: Extract<PaidOrderState<Subject, Held>, { status: "suspended" }>): PaidOrderAnswer<Held> {
  if (step.status === "awaiting") return { kind: "pending", charge: step.charge };
  if (step.status === "confirmed") return { kind: "done", charge: step.charge, held: step.held };
  const isUndone = step.status === "releasing" || step.status === "settling" || step.status === "cancelling";
  return isUndone ? step.failure : { kind: "unsettled", reason };
}
