import type { Cents } from "../money/money.ts";

/** What a registry takes for one order, as it says it (RFC 8748). */
export interface RegistryFee {
  /** In hundredths of the currency, rounded up; all fees of the order together. */
  readonly cents: Cents;
  /** ISO 4217; empty where the registry does not say. */
  readonly currency: string;
  /** The registry sells the name dearer than others of its extension. */
  readonly isPremium: boolean;
}

/**
 * Whether the price list covers what the registry takes. A premium name is never covered, since the list has one price for all
 * names of an extension. An amount in another currency than the euro is never covered, since it cannot be compared with the list.
 *
 * @param netCents what the customer pays net for the whole order, in cents (EUR).
 */
export function coversFee(netCents: Cents, { cents, currency, isPremium }: RegistryFee): boolean {
  return !isPremium && currency === priceListCurrency && cents <= netCents;
}

/** Why the registry's fee is not covered, where its currency is why. */
export function currencyObjection({ currency }: RegistryFee): string | undefined {
  if (currency === priceListCurrency) return undefined;
  const said = currency === "" ? "without a currency" : `in ${currency}`;
  return `The registry's fee for this name is ${said}, and the price list is in ${priceListCurrency}: it is not sold here.`;
}

/** ISO 4217. */
const priceListCurrency = "EUR";
