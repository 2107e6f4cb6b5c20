import { counted } from "../kernel/counted.ts";
import { formatEuros, roundHalfUp, type Cents } from "../money/money.ts";
import type { InvoiceLine } from "./totals.ts";

/** Price of some months of a server and its parts. Plan prices are gross: no VAT is added. */
export interface ServerQuote {
  readonly months: number;
  readonly monthGrossCents: Cents;
  readonly discountPercent: number;
  readonly surchargePercent: number;
  /** The charged amount in cents (EUR), rounded half up once. */
  readonly grossCents: Cents;
}

/** Surcharge of a suspended server in per cent; added on top of the duration discount (specification §1). */
export const suspendedSurchargePercent = 10;

/** Discounts of a renewal in per cent, by its exact number of months (specification §1). */
const discountPercents: ReadonlyMap<number, number> = new Map([
  [3, 5],
  [6, 10],
  [12, 15],
]);

/** Returns the discount of a renewal in per cent; 0 for a duration without a discount (specification §1). */
export function renewalDiscountPercent(months: number): number {
  return discountPercents.get(months) ?? 0;
}

/**
 * Returns the price of a renewal: `plan.price × duration × (1 − discount) × (1.10 if suspended)`, computed exactly in
 * integers and rounded half up once (specification §1; contract, money rules).
 * @param months 1 to 12.
 */
export function quoteServerRenewal(monthGrossCents: Cents, months: number, suspended: boolean): ServerQuote {
  const discountPercent = renewalDiscountPercent(months);
  const surchargePercent = suspended ? suspendedSurchargePercent : 0;
  return quote(monthGrossCents, months, discountPercent, surchargePercent);
}

/**
 * Returns the price of an order: `plan.price × duration`. The specification (§1) gives a duration discount only for a
 * "Server renewal", so orders have none.
 * @param months 1 to 12.
 */
export function quoteServerOrder(monthGrossCents: Cents, months: number): ServerQuote {
  return quote(monthGrossCents, months, 0, 0);
}

function quote(
  monthGrossCents: Cents,
  months: number,
  discountPercent: number,
  surchargePercent: number,
): ServerQuote {
  const percents = BigInt(100 - discountPercent) * BigInt(100 + surchargePercent);
  const grossCents = roundHalfUp({
    numerator: monthGrossCents * BigInt(months) * percents,
    denominator: 10_000n,
  });
  return { months, monthGrossCents, discountPercent, surchargePercent, grossCents };
}

export function serverRenewalLines(planTitle: string, priced: ServerQuote): readonly InvoiceLine[] {
  return lines(`Renewal of a server ${planTitle}`, priced);
}

export function serverOrderLines(planTitle: string, priced: ServerQuote): readonly InvoiceLine[] {
  return lines(`Server ${planTitle}`, priced);
}

/** Returns one line for all months, because the rounded total may differ from months × price. Its text names the parts. */
function lines(what: string, priced: ServerQuote): readonly InvoiceLine[] {
  const { months, monthGrossCents, discountPercent, surchargePercent, grossCents } = priced;
  const parts = [
    what,
    counted(months, "month"),
    `${formatEuros(monthGrossCents)} EUR a month`,
    ...(discountPercent === 0 ? [] : [`${String(discountPercent)} % discount`]),
    ...(surchargePercent === 0 ? [] : [`${String(surchargePercent)} % surcharge while suspended`]),
  ];
  return [{ description: parts.join(", "), quantity: 1, unitNetCents: grossCents }];
}
