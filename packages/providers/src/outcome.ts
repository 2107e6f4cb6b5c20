/** Outcome of a call: carried out, certainly not, or unknown. After "unknown" the provider is asked again. */
export type Outcome<T> =
  | { readonly outcome: "done"; readonly value: T }
  | { readonly outcome: "refused"; readonly reason: RefusalReason; readonly message: string }
  | { readonly outcome: "unknown"; readonly message: string };

/** Reason for a refusal: the provider refused (`rejected`), or could not be reached, so nothing was sent (`unreachable`). */
export type RefusalReason = "rejected" | "unreachable";

export function done<T>(value: T): Outcome<T> {
  return { outcome: "done", value };
}

/** Returns an outcome that was certainly not carried out. */
export function refused(reason: RefusalReason, message: string): Outcome<never> {
  return { outcome: "refused", reason, message };
}

export function unknown(message: string): Outcome<never> {
  return { outcome: "unknown", message };
}
