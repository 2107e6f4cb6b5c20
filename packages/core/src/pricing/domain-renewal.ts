import { standardVatRatePercent, type Cents } from "../money/money.ts";
import { totalsOf, type InvoiceLine, type Totals } from "./totals.ts";

/** What a domain's renewal costs: `renewal_price × years` (contract, "Money rules"). */
export function renewalLines(name: string, years: number, yearNetCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Renewal of ${name}, per year`, quantity: years, unitNetCents: yearNetCents }];
}

/** The exact price of a domain's renewal for an account. */
export function quoteRenewal(name: string, years: number, yearNetCents: Cents, vatExempt: boolean): Totals {
  return totalsOf(renewalLines(name, years, yearNetCents), vatExempt ? 0n : standardVatRatePercent);
}
