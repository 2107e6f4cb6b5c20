import { parsed, unparsable, type Parsed } from "../kernel/result.ts";

/** An amount of money in integer cents (EUR). */
export type Cents = bigint;

/** Maximum amount accepted from outside: 1 billion euros, in cents. */
export const maximumCents: Cents = 100_000_000_000n;

/** Limits of a top-up, in cents (EUR). */
export const topUpLimits = { leastCents: 100n, mostCents: 1_000_000n } as const;

/** An exact fraction, to round only once at the end. The denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * Rounds to the nearest integer, halves away from zero ("kaufmännisch", DIN 1333). All amounts use this rounding.
 * @param fraction any sign; the denominator is positive.
 */
export function roundHalfUp({ numerator, denominator }: Fraction): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return numerator < 0n ? -rounded : rounded;
}

/** Hundredths of a per cent in the whole: 1 900 basis points are 19 %. */
const wholeBasisPoints = 10_000n;

/** Returns the VAT on a net amount: `round_half_up(net × rate)`. */
export function vatOn(net: Cents, rateBasisPoints: bigint): Cents {
  return roundHalfUp({ numerator: net * rateBasisPoints, denominator: wholeBasisPoints });
}

/** Returns the VAT contained in a gross amount: `round_half_up(gross × rate / (1 + rate))`. */
export function vatContainedIn(gross: Cents, rateBasisPoints: bigint): Cents {
  return roundHalfUp({
    numerator: gross * rateBasisPoints,
    denominator: wholeBasisPoints + rateBasisPoints,
  });
}

/** Writes cents as euros with two decimals, for example `-0.05` or `11.90`. */
export function formatEuros(cents: Cents): string {
  const magnitude = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${magnitude.slice(0, -2)}.${magnitude.slice(-2)}`;
}

/** Reads an amount in euros without a sign and with at most two decimals, for example `100`, `19.9` or `19.99`. */
export function parseEuros(text: string): Parsed<Cents> {
  const match = /^(\d{1,40})(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null)
    return unparsable("must be an amount in euros with at most two decimals, for example 19.99");
  const cents = BigInt(match[1] ?? "0") * 100n + BigInt((match[2] ?? "").padEnd(2, "0"));
  return cents > maximumCents ? unparsable(`must be at most ${formatEuros(maximumCents)}`) : parsed(cents);
}
