import type { Cents } from "../money/money.ts";

/** A registry's fee for an order (RFC 8748). */
export interface RegistryFee {
  /** Sum of all fees of the order, in hundredths of the currency, rounded up. */
  readonly cents: Cents;
  /** ISO 4217; empty if the registry names no currency. */
  readonly currency: string;
  /** True if the name costs more than other names of its extension. */
  readonly isPremium: boolean;
}

/**
 * Returns true if the customer's price covers the registry's fee. Refuses premium names, because the price list has one
 * price for all names of an extension. Refuses other currencies than the euro, because the amounts cannot be compared.
 *
 * @param netCents the customer's net price of the whole order, in cents (EUR).
 */
export function coversFee(netCents: Cents, { cents, currency, isPremium }: RegistryFee): boolean {
  return !isPremium && currency === priceListCurrency && cents <= netCents;
}

/** Returns the reason why the fee's currency is refused; undefined if the fee is in euros. */
export function currencyObjection({ currency }: RegistryFee): string | undefined {
  if (currency === priceListCurrency) return undefined;
  const said = currency === "" ? "without a currency" : `in ${currency}`;
  return `The registry's fee for this name is ${said}, and the price list is in ${priceListCurrency}: it is not sold here.`;
}

const priceListCurrency = "EUR";
