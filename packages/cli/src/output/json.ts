/** A value that `JSON.stringify` writes as it is. Money is a decimal string of euros, an id a number. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * An id, a count or a position as a JSON number.
 * @throws RangeError above 2^53 − 1, where a JSON number would no longer be the same integer: no counter gets there.
 */
export function jsonInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${String(value)} is no safe integer.`);
  return number;
}
