/** The value of parsing something from outside: the value, or one sentence saying what is wrong with it. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string };

/** A value that was read. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** An input that breaks its rule; `error` is a sentence for the caller. */
export function unparsable(error: string): Parsed<never> {
  return { ok: false, error };
}
