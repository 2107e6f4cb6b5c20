import type { Cents } from "../money/money.ts";
import { rejectionCatalogue, type RejectionCode } from "./rejection-catalogue.ts";

/** Details of a rejection beside its code. Amounts are integer cents (EUR). */
export interface RejectionDetail {
  /** `insufficient-balance`: the required gross amount. */
  readonly requiredCents?: Cents;
  /** `insufficient-balance`: the balance at the time of the decision. */
  readonly availableCents?: Cents;
  /** `validation-failed`, `profile-incomplete`: messages by field. */
  readonly fieldErrors?: Readonly<Record<string, readonly string[]>>;
  /** `missing-scope`: the scope. */
  readonly scope?: string;
  /** `server-held`: the reason that staff wrote for the customer. */
  readonly reason?: string;
  /** `overloaded`, `temporarily-unavailable`, `rate-limited`, `quota-exceeded`: seconds to wait. */
  readonly retryAfterSeconds?: number;
  /** `quota-exceeded`: the quota's name. */
  readonly quota?: string;
  /** `registrar-failed`: nothing was charged or ordered. If absent, the charge was refunded. */
  readonly hadNoEffect?: true;
}

export interface Rejection {
  readonly code: RejectionCode;
  /** A sentence that tells a person how to proceed. */
  readonly message: string;
  readonly detail?: RejectionDetail;
}

/** A service did not answer, so its work may be done; the caller may retry. Answered as `temporarily-unavailable`. */
export class TemporarilyUnavailableError extends Error {
  override readonly name: string = "TemporarilyUnavailableError";
  /** Sentence for the caller; undefined for the catalogue's sentence. */
  readonly sentence: string | undefined = undefined;
}

/** The event store was restored from an older backup that staff have not accepted. Answered as `store-rewound`. */
export class StoreRewoundError extends TemporarilyUnavailableError {
  override readonly name = "StoreRewoundError";
}

/** Stored events differ from their recorded proof, or the proof is damaged. Answered as the rejection `audit-fault`. */
export class AuditFaultError extends Error {
  override readonly name: string = "AuditFaultError";
}

/** Builds a rejection; without `message` it uses the catalogue's sentence. */
export function rejection(code: RejectionCode, message?: string, detail?: RejectionDetail): Rejection {
  return {
    code,
    message: message ?? rejectionCatalogue[code].sentence,
    ...(detail === undefined ? {} : { detail }),
  };
}
