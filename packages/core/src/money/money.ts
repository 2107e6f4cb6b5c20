import { parsed, unparsable, type Parsed } from "../kernel/result.ts";

/** An amount of money in integer cents (EUR). Binary floats never hold money. */
export type Cents = bigint;

/** The German standard rate in per cent (§12 UStG), added to net prices unless the account is VAT exempt. */
export const standardVatRatePercent = 19n;

/** The largest amount accepted from outside, 1 billion euros: far above any use, far below any counter's end. */
export const maximumCents: Cents = 100_000_000_000n;

/** A fraction of two integers, to compute exactly and round once. The denominator is above zero. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * The one rounding of the house: to the nearest integer, halves away from zero ("kaufmännisch", DIN 1333).
 * @param fraction any sign; the denominator is above zero.
 */
export function roundHalfUp({ numerator, denominator }: Fraction): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return numerator < 0n ? -rounded : rounded;
}

/** VAT on a net amount: `round_half_up(net × rate %)`. */
export function vatOn(net: Cents, ratePercent: bigint): Cents {
  return roundHalfUp({ numerator: net * ratePercent, denominator: 100n });
}

/** VAT contained in a gross amount: `round_half_up(gross × rate / (100 + rate))`. */
export function vatContainedIn(gross: Cents, ratePercent: bigint): Cents {
  return roundHalfUp({ numerator: gross * ratePercent, denominator: 100n + ratePercent });
}

/** Writes cents as a decimal string of euros with two places, for example `-0.05` or `11.90`. */
export function formatEuros(cents: Cents): string {
  const magnitude = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${magnitude.slice(0, -2)}.${magnitude.slice(-2)}`;
}

/** Reads a decimal string of euros with at most two places, for example `100`, `19.9` or `19.99`; no sign. */
export function parseEuros(text: string): Parsed<Cents> {
  const match = /^(\d{1,40})(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null)
    return unparsable("must be an amount in euros with at most two decimals, for example 19.99");
  const cents = BigInt(match[1] ?? "0") * 100n + BigInt((match[2] ?? "").padEnd(2, "0"));
  return cents > maximumCents ? unparsable(`must be at most ${formatEuros(maximumCents)}`) : parsed(cents);
}
