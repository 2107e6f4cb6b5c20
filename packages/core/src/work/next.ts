/** What a piece of work needs next, as its kind decides it from the state of a stream (ADR 0180). */
export type Next<Effect> =
  /** Carried out; then the state is read again, and asked again. */
  | { readonly do: Effect }
  /** Asked again at that instant (ISO 8601 UTC), or as soon as the stream changes; with `awaitsFunds` also when money comes. */
  | { readonly wait: string; readonly awaitsFunds?: boolean }
  /** Staff decide: asked again as soon as the stream changes. */
  | { readonly stopped: string }
  /** Nothing, before the stream changes. */
  | "done";

/** The account that pays for renewals which nobody orders. */
export interface Payer {
  /** Cents (EUR). */
  readonly balanceCents: bigint;
  /** Its personal data was erased: nothing is charged to it any more. */
  readonly isErased: boolean;
}
