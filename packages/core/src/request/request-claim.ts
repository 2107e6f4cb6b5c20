import type { Rejection } from "../kernel/rejection.ts";

/**
 * The right of a request with an `Idempotency-Key` to have an effect. It is taken in front of the first one, so that a
 * request that has none leaves nothing behind.
 */
export interface RequestClaim {
  /** True once it is stored that this request has the key. */
  readonly isMade: boolean;
  /** Stores it; safe to repeat. @returns why not, where another request has the key. */
  make(): Promise<Rejection | undefined>;
}
