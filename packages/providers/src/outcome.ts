/**
 * What is known after asking another provider for something: it is done; it is not and will not be done; or nobody
 * here knows. "Unknown" (a time limit, a broken connection after sending) is asked about, never guessed.
 */
export type Outcome<T> =
  | { readonly outcome: "done"; readonly value: T }
  | { readonly outcome: "refused"; readonly reason: RefusalReason; readonly message: string }
  | { readonly outcome: "unknown"; readonly message: string };

/**
 * Why a request was certainly not carried out: the provider said no (`rejected`), or it was never reached
 * (`unreachable`: the connection could not be made, so nothing was sent).
 */
export type RefusalReason = "rejected" | "unreachable";

/** Carried out. */
export function done<T>(value: T): Outcome<T> {
  return { outcome: "done", value };
}

/** Certainly not carried out. */
export function refused(reason: RefusalReason, message: string): Outcome<never> {
  return { outcome: "refused", reason, message };
}

/** Nobody here knows. */
export function unknown(message: string): Outcome<never> {
  return { outcome: "unknown", message };
}
