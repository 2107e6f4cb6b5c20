import type { AccountState } from "../account/account.state.ts";
import { isVatIdOfUnion } from "../tax/vat-id.ts";
import { addMilliseconds } from "../calendar/calendar.ts";
import { vatCountryOf } from "../tax/eu-countries.ts";
import type { Next } from "./next.ts";

/** The state from which the work on an account's VAT id decides. */
export interface WorkedVatId {
  readonly account: AccountState;
  readonly seller: { readonly country: string; readonly isSmallBusiness: boolean };
}

export interface VatIdEffect {
  readonly type: "ask";
  readonly vatId: string;
  /** Name of the company. */
  readonly name: string;
}

/** Days after which the register is asked again. A good answer counts for 30, so an outage of three weeks changes no tax. */
const askAgainMs = 7 * 86_400_000;

/** Pauses after questions without an answer, in milliseconds: the first, doubled each time up to the longest. */
const firstPauseMs = 600_000;
const longestPauseMs = 86_400_000;

/**
 * Decides whether the register must be asked about the VAT id of an account. It is asked only where the answer decides about
 * taxes: about a company in another member state, of a seller that charges VAT.
 */
export function nextOfVatId({ account, seller }: WorkedVatId, now: string): Next<VatIdEffect> {
  if (account.status !== "open" || account.erasedAt !== undefined || seller.isSmallBusiness) return "done";
  const { kind, organisation, country, vat_id: vatId } = account.profile;
  const state = vatCountryOf(country);
  const isAsked =
    kind === "organisation" &&
    isVatIdOfUnion(vatId) &&
    state !== undefined &&
    state !== vatCountryOf(seller.country);
  if (!isAsked) return "done";
  const check = account.vatIdCheck;
  if (check === null || check.vatId !== vatId) return { do: { type: "ask", vatId, name: organisation } };
  const pauseMs =
    check.unanswered === 0
      ? askAgainMs
      : Math.min(firstPauseMs * 2 ** (check.unanswered - 1), longestPauseMs);
  const dueAt = addMilliseconds(check.askedAt, pauseMs);
  return dueAt <= now ? { do: { type: "ask", vatId, name: organisation } } : { wait: dueAt };
}
