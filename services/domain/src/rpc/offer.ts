import {
  priceListAggregate,
  pricesAt,
  registrationLines,
  rejection,
  type DomainName,
  type PriceListState,
  type RejectionCode,
} from "@hostledger/core";
import { recentMs, type PricedOrder } from "@hostledger/store";
import type { Registrar } from "@hostledger/providers";
import { noSuch, rejectionError } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";

/** Stands for a domain that has no id yet: taxes ask only whether a domain is sold. */
const anyDomain = 1;

export type Offer = Extract<PriceListState, { status: "priced" }>;

/** Returns an extension's prices. @throws ConnectError unless on sale; code `refusal` */
export async function offerOf(
  { agreedClock, commands }: DomainDependencies,
  tld: string,
  refusal: RejectionCode = "unsupported-extension",
): Promise<Offer> {
  // Tries recently cached prices first; the order is charged the price checked here.
  for (const maxAgeMs of [recentMs, 0]) {
    const { state: list } = await commands.load(priceListAggregate, tld, maxAgeMs);
    const state = pricesAt(list, agreedClock.now());
    if (state.status === "priced" && state.active) return state;
  }
  throw rejectionError(rejection(refusal, `The extension .${tld} is not offered.`));
}

/** @throws ConnectError if the name's registrar does not offer that number of years (RFC 5731 §3.2.1). */
export function refuseYears({ years: { least, most } }: Registrar, name: string, years: number): void {
  if (years >= least && years <= most) return;
  const range = least === most ? String(least) : `${String(least)} to ${String(most)}`;
  throw rejectionError(
    rejection("validation-failed", `The registry of ${name} takes no order for ${String(years)} years.`, {
      fieldErrors: { years: [`The field years must be ${range} for this extension.`] },
    }),
  );
}

/** Returns the price of a name's years for an account. @param maxAgeMs of cached state @throws ConnectError `not-found` */
export async function quoteFor(
  { accounts }: DomainDependencies,
  accountId: number,
  {
    name,
    years,
    yearNetCents,
  }: { readonly name: DomainName["name"]; readonly years: number; readonly yearNetCents: bigint },
  maxAgeMs = 0,
): Promise<PricedOrder> {
  const lines = registrationLines(name, years, yearNetCents);
  const asked = { lines, pricesIncludeVat: false, domainId: anyDomain, serverId: null };
  const quote = await accounts.quote(accountId, asked, maxAgeMs);
  if (quote === undefined) throw noSuch("account");
  return quote;
}
