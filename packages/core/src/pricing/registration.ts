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
