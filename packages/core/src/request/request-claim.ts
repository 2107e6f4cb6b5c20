import type { Rejection } from "../kernel/rejection.ts";

/** The claim on an `Idempotency-Key`, made before the first effect. A request without effects stores nothing. */
export interface RequestClaim {
  /** True once the claim is stored. */
  readonly isMade: boolean;
  /** Stores the claim; repeating is safe. @returns the rejection if another request has the key. */
  make(): Promise<Rejection | undefined>;
}
