import { assertNever } from "../../kernel/assert-never.ts";
import type { ChargeRefusal } from "../charge-refusal.ts";
import type { RenewalCharged, RenewalOutcomeUnknown, RenewalRunStarted } from "./renew-domain.events.ts";
import { renewalInquiries } from "./renewal-inquiries.ts";

/** What the renewal is about, as its first fact tells. */
export type Renewal = RenewalRunStarted["data"];

/** The charge, as the account answered it. */
export type RenewalCharge = Omit<RenewalCharged["data"], "at">;

/** Why a run ended without a renewal. */
export type RenewalFailed =
  | { readonly kind: "charge-refused"; readonly refusal: ChargeRefusal }
  | { readonly kind: "registrar-failed"; readonly reason: string }
  | { readonly kind: "abandoned"; readonly reason: string };

/** The registrar is asked whether it renewed the name. */
export interface Inquiring {
  readonly status: "inquiring";
  readonly renewal: Renewal;
  readonly charge: RenewalCharge;
  readonly cause: RenewalOutcomeUnknown["data"]["cause"] | "abandoned";
  /** The words of the registrar, or of staff, that led here. */
  readonly reason: string;
  /** How often it was asked in vain, and when it is asked next. */
  readonly attempts: number;
  readonly notBefore: string | undefined;
}

/** A step of a run that is not waiting for staff. */
export type ActiveRenewalState =
  | { readonly status: "new" }
  | { readonly status: "charging"; readonly renewal: Renewal }
  | { readonly status: "ordering"; readonly renewal: Renewal; readonly charge: RenewalCharge }
  | Inquiring
  | {
      readonly status: "confirming";
      readonly renewal: Renewal;
      readonly charge: RenewalCharge;
      /** The registrar's word. */
      readonly expiresAt: string;
    }
  /** The charge is on its way back. It is undefined while nobody here knows whether the account was charged. */
  | {
      readonly status: "refunding";
      readonly renewal: Renewal;
      readonly charge: RenewalCharge | undefined;
      readonly failure: RenewalFailed;
    }
  /** Nothing is charged any more; the domain's own stream is told. */
  | { readonly status: "failing"; readonly renewal: Renewal; readonly failure: RenewalFailed };

/** A run that waits for staff, and the step it would try again. */
export interface ParkedRenewal {
  readonly status: "parked";
  readonly renewal: Renewal;
  readonly reason: string;
  readonly step: Exclude<ActiveRenewalState, { status: "new" }>;
}

/** A renewal run. */
export type RenewalState =
  | ActiveRenewalState
  | ParkedRenewal
  | { readonly status: "completed"; readonly renewal: Renewal; readonly answer: RenewalAnswer };

/** What the customer is told. */
export type RenewalAnswer =
  | { readonly kind: "renewed"; readonly charge: RenewalCharge; readonly expiresAt: string }
  | { readonly kind: "charge-refused"; readonly refusal: ChargeRefusal }
  | { readonly kind: "registrar-failed"; readonly reason: string }
  /** Charged, and nobody knows yet whether renewed: the run goes on asking. */
  | { readonly kind: "unsettled"; readonly reason: string };

/** The answer to the customer as soon as there is one. "Unsettled" is what it is for now: the run goes on. */
export function renewalAnswer(state: RenewalState): RenewalAnswer | undefined {
  switch (state.status) {
    case "completed":
      return state.answer;
    case "inquiring":
      return state.attempts >= renewalInquiries.whileTheCustomerWaits.limit
        ? { kind: "unsettled", reason: state.reason }
        : undefined;
    case "parked":
      return state.step.status === "failing"
        ? failedAnswer(state.step.failure)
        : { kind: "unsettled", reason: state.reason };
    case "new":
    case "charging":
    case "ordering":
    case "confirming":
    case "refunding":
    case "failing":
      return undefined;
    default:
      return assertNever(state);
  }
}

/** What a run that failed answers. */
export function failedAnswer(failure: RenewalFailed): RenewalAnswer {
  return failure.kind === "charge-refused"
    ? { kind: "charge-refused", refusal: failure.refusal }
    : { kind: "registrar-failed", reason: failure.reason };
}
