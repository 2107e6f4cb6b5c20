import type { Cents } from "../money/money.ts";

/** What a registry takes for one order, as it says it (RFC 8748). */
export interface RegistryFee {
  /** In hundredths of the currency, rounded up; all fees of the order together. */
  readonly cents: Cents;
  /** ISO 4217. */
  readonly currency: string;
  /** The registry sells the name dearer than others of its extension. */
  readonly isPremium: boolean;
}

/**
 * Whether the price list covers what the registry takes. A premium name is never covered, since the list has one price for all
 * names of an extension; amounts of other currencies than the euro cannot be compared, and are not.
 *
 * @param netCents what the customer pays net for the whole order, in cents (EUR).
 */
export function coversFee(netCents: Cents, { cents, currency, isPremium }: RegistryFee): boolean {
  return !isPremium && (currency !== "EUR" || cents <= netCents);
}
