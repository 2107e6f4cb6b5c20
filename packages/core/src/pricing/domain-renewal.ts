import type { Cents } from "../money/money.ts";
import type { InvoiceLine } from "./totals.ts";

/** What a domain's renewal costs: `renewal_price × years` (contract, "Money rules"). */
export function renewalLines(name: string, years: number, yearNetCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Renewal of ${name}, per year`, quantity: years, unitNetCents: yearNetCents }];
}

/** What it costs to have a name back that its registry withholds: `restore_price`, with a year (contract, second part). */
export function restorationLines(name: string, years: number, netCents: Cents): readonly InvoiceLine[] {
  return [{ description: `Restoration of ${name}, with a year`, quantity: years, unitNetCents: netCents }];
}
