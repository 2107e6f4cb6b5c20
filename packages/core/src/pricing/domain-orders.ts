import type { Cents } from "../money/money.ts";
import type { InvoiceLine } from "./totals.ts";

/** Returns the invoice line of a registration: `registration_price × years` of our price list (specification §1). */
export function registrationLines(name: string, years: number, yearNetCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Registration of ${name}, per year`, quantity: years, unitNetCents: yearNetCents }];
}

/** Returns the invoice line of a renewal: `renewal_price × years` (contract, "Money rules"). */
export function renewalLines(name: string, years: number, yearNetCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Renewal of ${name}, per year`, quantity: years, unitNetCents: yearNetCents }];
}

/** Returns the invoice line of a restoration, which includes a year: `restore_price` (contract, second part). */
export function restorationLines(name: string, years: number, netCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Restoration of ${name}, with a year`, quantity: years, unitNetCents: netCents }];
}
