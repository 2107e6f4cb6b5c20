/** Result of parsing outside input: the value, or a sentence about the error. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string };

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** Returns the result for invalid input; `error` is a sentence for the caller. */
export function unparsable(error: string): Parsed<never> {
  return { ok: false, error };
}
