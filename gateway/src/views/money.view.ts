/**
 * Writes cents as a decimal string of euros with two places, for example `-0.05` or `11.90`.
 * @param cents integer cents (EUR), of any sign and size.
 */
export function euroText(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Up to 15 significant digits a decimal survives the way into a double and back (IEEE 754, DBL_DIG). */
const largestExactCents = 999_999_999_999_999n;

/**
 * Euros as the number that JSON prints with at most two decimals. It is read from its decimal digits: nothing is
 * computed in binary.
 * @param cents integer cents (EUR), of at most 15 digits.
 * @throws RangeError for an amount that a JSON number could not print to the cent.
 */
export function euros(cents: bigint): number {
  if (cents > largestExactCents || cents < -largestExactCents) {
    throw new RangeError(`${String(cents)} cents cannot be written exactly as a JSON number`);
  }
  return Number(euroText(cents));
}
