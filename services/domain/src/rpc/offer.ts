import {
  priceListAggregate,
  pricesAt,
  quoteRegistration,
  rejection,
  type DomainName,
  type PriceListState,
  type RejectionCode,
  type Totals,
} from "@hostledger/core";
import { recentMs } from "@hostledger/event-store";
import type { Registrar } from "@hostledger/providers";
import { noSuch, rejectionError } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";

/** Prices of an extension on sale. */
export type Offer = Extract<PriceListState, { status: "priced" }>;

/** A registration's exact price for an account, and what the account has. */
export interface AccountQuote extends Totals {
  readonly availableCents: bigint;
}

/** The prices of an extension. @throws ConnectError the refusal, by default `unsupported-extension`, unless it is on sale. */
export async function offerOf(
  { agreedClock, commands }: DomainDependencies,
  tld: string,
  refusal: RejectionCode = "unsupported-extension",
): Promise<Offer> {
  // An order goes by prices of a moment ago where another process sets them; it is charged what it was shown then.
  for (const maxAgeMs of [recentMs, 0]) {
    const { state: list } = await commands.load(priceListAggregate, tld, maxAgeMs);
    const state = pricesAt(list, agreedClock.now());
    if (state.status === "priced" && state.active) return state;
  }
  throw rejectionError(rejection(refusal, `The extension .${tld} is not offered.`));
}

/** @throws ConnectError where the registrar of the name takes no order for so many years (RFC 5731 §3.2.1). */
export function refuseYears({ years: { least, most } }: Registrar, name: string, years: number): void {
  if (years >= least && years <= most) return;
  const range = least === most ? String(least) : `${String(least)} to ${String(most)}`;
  throw rejectionError(
    rejection("validation-failed", `The registry of ${name} takes no order for ${String(years)} years.`, {
      fieldErrors: { years: [`The field years must be ${range} for this extension.`] },
    }),
  );
}

/**
 * What a registration costs this account.
 * @param maxAgeMs by the account as it was so many milliseconds ago at most.
 * @throws ConnectError `not-found` where there is no such account.
 */
export async function quoteFor(
  { accounts }: DomainDependencies,
  accountId: number,
  {
    name,
    years,
    yearNetCents,
  }: { readonly name: DomainName["name"]; readonly years: number; readonly yearNetCents: bigint },
  maxAgeMs = 0,
): Promise<AccountQuote> {
  const found = await accounts.find(accountId, maxAgeMs);
  if (found === undefined) throw noSuch("account");
  const { vatExempt, balanceCents: availableCents } = found.account;
  return { ...quoteRegistration(name, years, yearNetCents, vatExempt), availableCents };
}
