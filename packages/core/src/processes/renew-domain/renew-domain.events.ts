import type { DomainRenewalStarted } from "../../domain/domain.events.ts";
import type { ChargeRefusal } from "../charge-refusal.ts";

/** The facts of one renewal run (stream `renewal-…`): what it intends, and what came of every step. */

/** The run began: it will charge the account and have the name renewed. */
export interface RenewalRunStarted {
  readonly type: "RenewalRunStarted";
  readonly data: DomainRenewalStarted["data"];
}

/** The account was charged; the order to the registrar is next. */
export interface RenewalCharged {
  readonly type: "RenewalCharged";
  readonly data: {
    readonly chargeId: string;
    readonly invoiceId: number;
    readonly grossCents: string;
    readonly at: string;
  };
}

/** The account refused the charge. */
export interface RenewalChargeRefused {
  readonly type: "RenewalChargeRefused";
  readonly data: ChargeRefusal & { readonly at: string };
}

/** The registrar has renewed the name. That cannot be undone. */
export interface RenewalOrderCompleted {
  readonly type: "RenewalOrderCompleted";
  readonly data: { readonly expiresAt: string; readonly at: string };
}

/** The registrar certainly did not and will not renew the name for this run. */
export interface RenewalOrderRefused {
  readonly type: "RenewalOrderRefused";
  readonly data: { readonly reason: string; readonly at: string };
}

/** Nobody here knows whether the name was renewed: the registrar is asked, and the charge stands meanwhile. */
export interface RenewalOutcomeUnknown {
  readonly type: "RenewalOutcomeUnknown";
  readonly data: {
    /**
     * `interrupted`: the run's owner died around the order. `unanswered`: the order was sent and not answered.
     * `rejected`: the registrar said no, perhaps since it had renewed the name already.
     */
    readonly cause: "interrupted" | "unanswered" | "rejected";
    readonly reason: string;
    readonly at: string;
  };
}

/** The registrar could not tell either. */
export interface RenewalInquiryFailed {
  readonly type: "RenewalInquiryFailed";
  readonly data: { readonly reason: string; readonly nextInquiryAt: string; readonly at: string };
}

/** The registrar still has the old expiry date: an order that was interrupted before it was sent is sent now. */
export interface RenewalOrderResumed {
  readonly type: "RenewalOrderResumed";
  readonly data: { readonly at: string };
}

/** The account knows of no charge: there is nothing to return. */
export interface RenewalNeverCharged {
  readonly type: "RenewalNeverCharged";
  readonly data: { readonly at: string };
}

/** The charge was returned. */
export interface RenewalChargeReturned {
  readonly type: "RenewalChargeReturned";
  readonly data: { readonly correctionId: number; readonly at: string };
}

/** The run waits for staff. */
export interface RenewalParked {
  readonly type: "RenewalParked";
  readonly data: { readonly reason: string; readonly at: string };
}

/** Staff lets the run try again. */
export interface RenewalUnparked {
  readonly type: "RenewalUnparked";
  readonly data: { readonly at: string };
}

/** Staff ends the run, having made sure that the registrar did not renew: what was charged is returned. */
export interface RenewalAbandoned {
  readonly type: "RenewalAbandoned";
  readonly data: { readonly reason: string; readonly at: string };
}

/** The run has ended. */
export interface RenewalCompleted {
  readonly type: "RenewalCompleted";
  readonly data: { readonly outcome: "renewed" | "failed"; readonly at: string };
}

/** Everything that happens in a renewal run. */
export type RenewalEvent =
  | RenewalRunStarted
  | RenewalCharged
  | RenewalChargeRefused
  | RenewalOrderCompleted
  | RenewalOrderRefused
  | RenewalOutcomeUnknown
  | RenewalInquiryFailed
  | RenewalOrderResumed
  | RenewalNeverCharged
  | RenewalChargeReturned
  | RenewalParked
  | RenewalUnparked
  | RenewalAbandoned
  | RenewalCompleted;
