import {
  priceListAggregate,
  quoteRegistration,
  rejection,
  type DomainName,
  type PriceListState,
  type RejectionCode,
  type Totals,
} from "@hostledger/core";
import { rejectionError } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";

/** Prices of an extension on sale. */
export type Offer = Extract<PriceListState, { status: "priced" }>;

/** A registration's exact price for an account, and what the account has. */
export interface AccountQuote extends Totals {
  readonly availableCents: bigint;
}

/** The prices of an extension. @throws ConnectError the refusal, by default `unsupported-extension`, unless it is on sale. */
export async function offerOf(
  { commands }: DomainDependencies,
  tld: string,
  refusal: RejectionCode = "unsupported-extension",
): Promise<Offer> {
  const { state } = await commands.load(priceListAggregate, tld);
  if (state.status !== "priced" || !state.active) {
    throw rejectionError(rejection(refusal, `The extension .${tld} is not offered.`));
  }
  return state;
}

/** What a registration costs this account. @throws ConnectError the account service's refusal. */
export async function quoteFor(
  { accounts }: DomainDependencies,
  accountId: number,
  {
    name,
    years,
    yearNetCents,
  }: { readonly name: DomainName["name"]; readonly years: number; readonly yearNetCents: bigint },
  request: { readonly correlationId: string; readonly requestId: string },
): Promise<AccountQuote> {
  const account = await accounts.rpc.getAccount(
    { accountId: BigInt(accountId) },
    accounts.callOptions(request),
  );
  return {
    ...quoteRegistration(name, years, yearNetCents, account.vatExempt),
    availableCents: account.balanceCents,
  };
}
