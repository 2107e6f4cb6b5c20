import { standardVatRatePercent, type Cents } from "../money/money.ts";
import { totalsOf, type InvoiceLine, type Totals } from "./totals.ts";

/** What a registration costs: `registration_price × years` from the service's own price list (specification §1). */
export function registrationLines(name: string, years: number, yearNetCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Registration of ${name}, per year`, quantity: years, unitNetCents: yearNetCents }];
}

/** The exact price of a registration for an account. */
export function quoteRegistration(
  name: string,
  years: number,
  yearNetCents: Cents,
  vatExempt: boolean,
): Totals {
  return totalsOf(registrationLines(name, years, yearNetCents), vatExempt ? 0n : standardVatRatePercent);
}

/** What a domain's renewal costs: `renewal_price × years` (contract, "Money rules"). */
export function renewalLines(name: string, years: number, yearNetCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Renewal of ${name}, per year`, quantity: years, unitNetCents: yearNetCents }];
}

/** What it costs to have a name back that its registry withholds: `restore_price`, with a year (contract, second part). */
export function restorationLines(name: string, years: number, netCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Restoration of ${name}, with a year`, quantity: years, unitNetCents: netCents }];
}
