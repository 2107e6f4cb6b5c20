/** Formats cents as euros, such as `-0.05` or `11.90`. @param cents integer cents (EUR) of any size */
export function euroText(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Decimals of up to 15 significant digits survive conversion to a double and back (IEEE 754, DBL_DIG). */
const largestExactCents = 999_999_999_999_999n;

/**
 * Converts cents to a JSON number with at most two decimals, by parsing decimal digits instead of dividing.
 * @param cents integer cents (EUR) of at most 15 digits.
 * @throws RangeError if a JSON number cannot represent the amount exactly.
 */
export function euros(cents: bigint): number {
  if (cents > largestExactCents || cents < -largestExactCents) {
    throw new RangeError(`${String(cents)} cents cannot be written exactly as a JSON number`);
  }
  return Number(euroText(cents));
}
