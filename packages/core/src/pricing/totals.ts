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
  readonly vatRatePercent: bigint;
  readonly vatCents: Cents;
  readonly grossCents: Cents;
}

/** Sums net prices and rounds the VAT once (contract, money rules). @param vatRatePercent 0 for an exempt account. */
export function totalsOf(lines: readonly InvoiceLine[], vatRatePercent: bigint): Totals {
  const netCents = sumOf(lines);
  const vatCents = vatOn(netCents, vatRatePercent);
  return { netCents, vatRatePercent, vatCents, grossCents: netCents + vatCents };
}

/** Sums gross prices and rounds their VAT once (contract, money rules). @param vatRatePercent 0 for an exempt account. */
export function totalsOfGross(lines: readonly InvoiceLine[], vatRatePercent: bigint): Totals {
  const grossCents = sumOf(lines);
  const vatCents = vatContainedIn(grossCents, vatRatePercent);
  return { netCents: grossCents - vatCents, vatRatePercent, vatCents, grossCents };
}

function sumOf(lines: readonly InvoiceLine[]): Cents {
  return lines.reduce((sum, line) => sum + BigInt(line.quantity) * line.unitNetCents, 0n);
}
