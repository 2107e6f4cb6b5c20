/** A value that `JSON.stringify` writes as it is. Money is a decimal string of euros, an id a number. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/**
 * Writes JSON with the marks that turn the direction of text escaped: they say the same, and turn nothing on the terminal
 * of whoever reads it.
 * @param indent blanks for each level; none writes one line.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    /\p{Bidi_Control}/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * An id, a count or a position as a JSON number.
 * @throws RangeError above 2^53 − 1, where a JSON number would no longer be the same integer: no counter gets there.
 */
export function jsonInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${String(value)} is no safe integer.`);
  return number;
}
