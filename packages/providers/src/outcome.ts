/**
 * Outcome of a provider's call: carried out, certainly not carried out, or unknown. After "unknown" (a timeout, a
 * connection broken after
 * sending) the provider is asked again, never guessed.
 */
export type Outcome<T> =
  | { readonly outcome: "done"; readonly value: T }
  | { readonly outcome: "refused"; readonly reason: RefusalReason; readonly message: string }
  | { readonly outcome: "unknown"; readonly message: string };

/**
 * Reason for a refusal: the provider refused (`rejected`), or could not be reached, so nothing was sent
 * (`unreachable`).
 */
export type RefusalReason = "rejected" | "unreachable";

/** Returns a completed outcome. */
export function done<T>(value: T): Outcome<T> {
  return { outcome: "done", value };
}

/** Returns an outcome that was certainly not carried out. */
export function refused(reason: RefusalReason, message: string): Outcome<never> {
  return { outcome: "refused", reason, message };
}

/** Returns an unknown outcome. */
export function unknown(message: string): Outcome<never> {
  return { outcome: "unknown", message };
}
