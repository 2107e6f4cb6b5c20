import { vatContainedIn, vatOn, type Cents } from "../money/money.ts";

/** A line of a document. Its amount is quantity × unit price. */
export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** Price of a unit in cents (EUR): net, or gross if the document's prices contain VAT (servers). */
  readonly unitNetCents: Cents;
}

/** The sums of a document, fixed when it is issued. */
export interface Totals {
  readonly netCents: Cents;
  /** 1 900 is 19 %. */
  readonly vatRateBasisPoints: bigint;
  readonly vatCents: Cents;
  readonly grossCents: Cents;
}

/** Sums net prices and rounds the VAT once (contract, money rules). @param vatRateBasisPoints 0 for an exempt account. */
export function totalsOf(lines: readonly InvoiceLine[], vatRateBasisPoints: bigint): Totals {
  return withVat(sumOf(lines), vatRateBasisPoints);
}

/**
 * Sums prices that contain the seller's domestic VAT, and rounds once (contract, money rules). For a buyer at another rate, the
 * net amount is computed once from the domestic rate; then the buyer's rate applies.
 * @param vatRateBasisPoints the buyer's rate; 0 for an exempt account.
 * @param containedBasisPoints the rate that the prices contain, if it is not the buyer's.
 */
export function totalsOfGross(
  lines: readonly InvoiceLine[],
  vatRateBasisPoints: bigint,
  containedBasisPoints = vatRateBasisPoints,
): Totals {
  const grossCents = sumOf(lines);
  const containedCents = vatContainedIn(grossCents, containedBasisPoints);
  const netCents = grossCents - containedCents;
  if (vatRateBasisPoints !== containedBasisPoints) return withVat(netCents, vatRateBasisPoints);
  return { netCents, vatRateBasisPoints, vatCents: containedCents, grossCents };
}

function withVat(netCents: Cents, vatRateBasisPoints: bigint): Totals {
  const vatCents = vatOn(netCents, vatRateBasisPoints);
  return { netCents, vatRateBasisPoints, vatCents, grossCents: netCents + vatCents };
}

function sumOf(lines: readonly InvoiceLine[]): Cents {
  return lines.reduce((sum, line) => sum + BigInt(line.quantity) * line.unitNetCents, 0n);
}
