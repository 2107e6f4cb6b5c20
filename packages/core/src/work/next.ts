/** The next step of a kind of work, decided from the state of a stream (ADR 0180). */
export type Next<Effect> =
  /** Carry out the effect, then read the state and decide again. */
  | { readonly do: Effect }
  /**
   * Decide again at this instant (ISO 8601 UTC) or when the stream changes. With `awaitsFunds`, decide again after a
   * payment too.
   */
  | { readonly wait: string; readonly awaitsFunds?: boolean }
  /** Wait for staff; decide again when the stream changes. */
  | { readonly stopped: string }
  /** Nothing to do until the stream changes. */
  | "done";

/** Carries out an effect, if there is one. */
export function doIfAny<Effect>(effect: Effect | undefined): Next<Effect> {
  return effect === undefined ? "done" : { do: effect };
}

/** The account that pays for automatic renewals. */
export interface Payer {
  /** Cents (EUR). */
  readonly balanceCents: bigint;
  /** True if the account's personal data was erased, so nothing more is charged. */
  readonly isErased: boolean;
}
