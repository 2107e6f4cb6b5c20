import type { Rejection } from "../kernel/rejection.ts";

/**
 * Claims the key of a request with an `Idempotency-Key`. The request claims the key before its first effect, so that a
 * request without effects stores nothing.
 */
export interface RequestClaim {
  /** True once the claim is stored. */
  readonly isMade: boolean;
  /** Stores the claim; safe to repeat. @returns the rejection if another request has the key. */
  make(): Promise<Rejection | undefined>;
}
