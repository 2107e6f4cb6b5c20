import { assertNever } from "../../kernel/assert-never.ts";
import type { ChargeRefusal } from "../charge-refusal.ts";

/** A charge that stands, as the account answered it. */
export interface Charge {
  readonly chargeId: string;
  readonly invoiceId: number;
  /** Cents (EUR). */
  readonly grossCents: string;
}

/** Why a paid order ends without what was ordered. */
export type OrderFailure =
  /** The account, or the stock, said no: nothing was charged. */
  | { readonly kind: "declined"; readonly refusal: ChargeRefusal }
  /** `code` is a rejection's where one of our own aggregates said no. */
  | { readonly kind: "failed"; readonly reason: string; readonly code: string | null }
  /** Staff ended it. */
  | { readonly kind: "abandoned"; readonly reason: string };

/** What led to the release of what was reserved. */
export type ReleaseWhy =
  | "charge-refused"
  | "order-refused"
  | "order-not-carried-out"
  | "order-cancelled"
  | "abandoned";

/** Why the provider is asked what became of an order. */
export type InquiryCause =
  /** The run's owner died around the order: perhaps it was never sent. */
  | "interrupted"
  /** It was sent, now or earlier, and not answered: it may be carried out yet. */
  | "unanswered"
  /** The provider said no, perhaps since the order was carried out already. */
  | "rejected"
  /** Staff ends the run: the provider is asked once more, for what it did is paid for. */
  | "abandoned";

/** The provider said that it holds nothing: that counts once it is said again after the quiet period. */
export interface NotHeld {
  readonly saidAt: string;
  readonly askAgainAt: string;
}

/** A step that the provider has not answered: how often it was tried, and when it is tried next. */
export interface Attempts {
  readonly attempts: number;
  readonly notBefore: string | undefined;
}

/** Null: there is nothing to pay. Undefined: nobody here knows whether the account was charged. */
export type KnownCharge = Charge | null | undefined;

/** Steps towards what was ordered. */
type Towards<Held> =
  | { readonly status: "preparing"; readonly prepared: number }
  /** `again`: an earlier owner may have charged, and ordered. */
  | { readonly status: "charging"; readonly again: boolean }
  /** `again`: an order under the same id may be on its way already. A refusal of this one says nothing about that. */
  | { readonly status: "ordering"; readonly charge: Charge | null; readonly again: boolean }
  | ({
      readonly status: "asking";
      readonly charge: Charge | null;
      readonly cause: InquiryCause;
      readonly reason: string;
      readonly notHeld: NotHeld | undefined;
    } & Attempts)
  /** The provider took the order down: it is asked until it has carried it out, or does not. */
  | ({
      readonly status: "awaiting";
      readonly charge: Charge | null;
      /** Questions in a row that were not answered. */
      readonly failures?: number;
    } & Attempts)
  /** `held` is undefined where there is no provider: then our own aggregate tells. */
  | { readonly status: "confirming"; readonly charge: Charge | null; readonly held: Held | undefined }
  /** The aggregate has it: all that is left is to say that the run is over. */
  | { readonly status: "confirmed"; readonly charge: KnownCharge; readonly held: Held | undefined };

/** Steps back. */
type Undoing = { readonly failure: OrderFailure } & (
  | {
      /** The aggregate has the last word on whether the order was confirmed; then the charge goes back. */
      readonly status: "fencing" | "refunding";
      readonly charge: KnownCharge;
      readonly then: ReleaseWhy | "settle";
      readonly notHeld: NotHeld | undefined;
    }
  | ({ readonly status: "settling"; readonly notHeld: NotHeld | undefined } & Attempts)
  | ({ readonly status: "cancelling" } & Attempts)
  | { readonly status: "releasing"; readonly why: ReleaseWhy }
);

/** A step of a run that is not waiting for staff. */
export type ActiveStep<Subject, Held> = { readonly subject: Subject } & (Towards<Held> | Undoing);

/** The run of a paid order. */
export type PaidOrderState<Subject, Held> =
  | { readonly status: "new" }
  | ActiveStep<Subject, Held>
  /** Waits for staff; `step` is what it would try again. */
  | {
      readonly status: "suspended";
      readonly subject: Subject;
      readonly reason: string;
      readonly step: ActiveStep<Subject, Held>;
    }
  | { readonly status: "ended"; readonly subject: Subject; readonly answer: FinalAnswer<Held> };

/** What became of a paid order. */
export type FinalAnswer<Held> =
  | { readonly kind: "done"; readonly charge: KnownCharge; readonly held: Held | undefined }
  | OrderFailure;

/**
 * What the caller is told; `pending`: the provider carries the order out later, or does not. `unsettled`: nothing is certain
 * yet, and the run, or staff, looks after it.
 */
export type PaidOrderAnswer<Held> =
  | FinalAnswer<Held>
  | { readonly kind: "pending"; readonly charge: Charge | null }
  | { readonly kind: "unsettled"; readonly reason: string };

/** How long a caller waits for what is asked, where the charge stands meanwhile. */
export interface QuestionBound {
  readonly inquiries: number;
  /** Milliseconds. */
  readonly quietMs: number;
}

/** The longest quiet period that a caller waits for, in milliseconds: gateways and clients give up later. */
const longestQuietWaitMs = 15_000;

/**
 * The answer to the caller as soon as it is certain: the run may go on after it, with a provider that is asked until it
 * is certain that it holds nothing. Undefined while there is none.
 * @param patience where an unanswered order cannot be cancelled: its charge stands, and the caller is told so in time.
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

/** A run that waits for staff is certain where the order is confirmed, or where the account has its money. */
function suspendedAnswer<Subject, Held>({
  step,
  reason,
}: Extract<PaidOrderState<Subject, Held>, { status: "suspended" }>): PaidOrderAnswer<Held> {
  if (step.status === "awaiting") return { kind: "pending", charge: step.charge };
  if (step.status === "confirmed") return { kind: "done", charge: step.charge, held: step.held };
  const isUndone = step.status === "releasing" || step.status === "settling" || step.status === "cancelling";
  return isUndone ? step.failure : { kind: "unsettled", reason };
}
