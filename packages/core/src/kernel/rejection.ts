import type { Cents } from "../money/money.ts";
import { rejectionCatalogue, type RejectionCode } from "./rejection-catalogue.ts";

/** Figures and fields a refusal carries beside its code. Amounts are integer cents (EUR). */
export interface RejectionDetail {
  /** `insufficient-balance`: the gross amount needed. */
  readonly requiredCents?: Cents;
  /** `insufficient-balance`: the balance at the moment of the decision. */
  readonly availableCents?: Cents;
  /** `validation-failed`, `profile-incomplete`: messages by field. */
  readonly fieldErrors?: Readonly<Record<string, readonly string[]>>;
  /** `missing-scope`: the scope. */
  readonly scope?: string;
  /** `server-held`: why, as staff wrote it for the customer. */
  readonly reason?: string;
  /** `overloaded`, `temporarily-unavailable`, `rate-limited`, `quota-exceeded`: seconds to wait. */
  readonly retryAfterSeconds?: number;
  /** `quota-exceeded`: the quota's name. */
  readonly quota?: string;
  /** `registrar-failed`: nothing was charged or ordered; without it, what was charged was refunded. */
  readonly hadNoEffect?: true;
}

/** A business "no". */
export interface Rejection {
  readonly code: RejectionCode;
  /** A sentence a person can act on. */
  readonly message: string;
  readonly detail?: RejectionDetail;
}

/**
 * A party that the service stands on did not answer: what was asked of it may have been done. No bug and no decision; who
 * asked may ask again for the same thing. At the edge it becomes the refusal `temporarily-unavailable`.
 */
export class TemporarilyUnavailableError extends Error {
  override readonly name: string = "TemporarilyUnavailableError";
  /** What callers are told, where the catalogue's sentence is not it. */
  readonly sentence: string | undefined = undefined;
}

/**
 * The event store was put back to an older copy, and staff have not accepted it yet: nothing was written. At the edge it
 * becomes the refusal `store-rewound`.
 */
export class StoreRewoundError extends TemporarilyUnavailableError {
  override readonly name = "StoreRewoundError";
}

/**
 * The facts are not those that were recorded, or what proves them is damaged. No bug: its sentence names what was found, and
 * at the edge it becomes the refusal `audit-fault`, so that whoever asked is told.
 */
export class AuditFaultError extends Error {
  override readonly name: string = "AuditFaultError";
}

/** Builds a refusal; without `message` it says the catalogue's sentence. */
export function rejection(code: RejectionCode, message?: string, detail?: RejectionDetail): Rejection {
  return {
    code,
    message: message ?? rejectionCatalogue[code].sentence,
    ...(detail === undefined ? {} : { detail }),
  };
}
