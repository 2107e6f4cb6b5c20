import { vatOn, type Cents } from "../money/money.ts";

/** One line of a document. Its net amount is quantity × unit price. */
export interface InvoiceLine {
  readonly description: string;
  readonly quantity: number;
  /** Net price of one in cents (EUR). */
  readonly unitNetCents: Cents;
}

/** The sums of a document, frozen when it is issued. */
export interface Totals {
  readonly netCents: Cents;
  readonly vatRatePercent: bigint;
  readonly vatCents: Cents;
  readonly grossCents: Cents;
}

/**
 * Sums an invoice of net prices: VAT is rounded once, on the total (contract, money rules).
 * @param vatRatePercent 0 for an exempt account.
 */
export function totalsOf(lines: readonly InvoiceLine[], vatRatePercent: bigint): Totals {
  const netCents = lines.reduce((sum, line) => sum + BigInt(line.quantity) * line.unitNetCents, 0n);
  const vatCents = vatOn(netCents, vatRatePercent);
  return { netCents, vatRatePercent, vatCents, grossCents: netCents + vatCents };
}
