import { addMilliseconds } from "../calendar/calendar.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";
import type { Cents } from "../money/money.ts";
import { totalsOf, totalsOfGross, type Totals } from "../pricing/totals.ts";
import { taxTreatment, type TaxAnswer, type TaxMode, type TaxTreatment } from "../tax/tax-treatment.ts";
import type { ChargeBalance } from "./account.commands.ts";
import type { OpenAccountState, VatIdCheck } from "./account.state.ts";
import { containedRate, issueDate, languageOf, termsOf, type IssuingTerms } from "./document-terms.ts";
import { profileTexts, type AccountProfile, type ProfileText } from "./profile.ts";

/** Days for which the last good answer about a VAT id counts while the register does not answer. */
export const vatIdGoodDays = 30;

/** Gross amount in cents (EUR) up to which an invoice needs no buyer's address (§33 UStDV: 250 euros). */
export const smallInvoiceCents: Cents = 25_000n;

/** The part of a charge that decides its price, beside the account. */
export type AskedCharge = Pick<
  ChargeBalance["data"],
  "lines" | "pricesIncludeVat" | "domainId" | "serverId" | "terms" | "at"
>;

export interface ChargeQuote {
  readonly totals: Totals;
  readonly tax: TaxTreatment;
  readonly businessDate: string;
  /** Fields of the profile without which nothing is charged; the sums are then provisional. */
  readonly missing: readonly string[];
}

/** Prices a charge for an account by its present profile. */
export function quoteCharge(asked: AskedCharge, state: OpenAccountState): ChargeQuote {
  const { lines, pricesIncludeVat, at } = asked;
  const terms = termsOf(asked);
  const businessDate = issueDate(terms, at, state);
  const { treatment: tax, missing } = taxOfCharge(asked, terms, state, businessDate);
  const rate = BigInt(tax.rateBasisPoints);
  const totals = pricesIncludeVat
    ? totalsOfGross(lines, rate, containedRate(terms, tax, businessDate))
    : totalsOf(lines, rate);
  return {
    totals,
    tax,
    businessDate,
    missing: missing.length > 0 ? missing : missingAddress(terms.mode, totals.grossCents, state.profile),
  };
}

/** Returns the rejection of an order whose taxes need fields that the profile lacks. */
export function profileIncomplete(missing: readonly string[]): Rejection {
  return rejection(
    "profile-incomplete",
    `The taxes of this order need the buyer's data; the account's profile lacks ${missing.join(", ")}.`,
    { fieldErrors: Object.fromEntries(missing.map((field) => [field, [`The field ${field} is needed.`]])) },
  );
}

/** Decides how a charge is taxed from the account's present profile. */
function taxOfCharge(
  { domainId, serverId, at }: AskedCharge,
  { mode, rules, seller, ossFrom }: IssuingTerms,
  { profile, vatExempt, vatIdCheck }: OpenAccountState,
  businessDate: string,
): TaxAnswer {
  return taxTreatment(
    {
      mode,
      seller: { ...seller, ossFrom },
      buyer: {
        kind: profile.kind,
        country: profile.country,
        hasCheckedVatId: isChecked(profile.vat_id, vatIdCheck, at),
        isExempt: vatExempt,
        missing: missingOfAddress(profile),
      },
      // Only teams charge for something other than a domain or server.
      supply: domainId === null && serverId === null ? "other" : "electronic",
      businessDate,
      language: languageOf(profile),
    },
    rules,
  );
}

/** Returns the fields that the profile lacks for an invoice above 250 euros gross; none under the flat rule. */
function missingAddress(mode: TaxMode, grossCents: Cents, profile: AccountProfile): readonly ProfileText[] {
  return mode === "eu" && grossCents > smallInvoiceCents ? missingOfAddress(profile) : [];
}

/** Returns the fields of a complete address that the profile lacks (§14 (4) no. 1 UStG), in display order. */
function missingOfAddress(profile: AccountProfile): readonly ProfileText[] {
  const needed: readonly ProfileText[] = [
    profile.kind === "organisation" ? "organisation" : "name",
    "street",
    "city",
    "postal_code",
    "country",
  ];
  return profileTexts.filter((field) => needed.includes(field) && profile[field] === "");
}

function isChecked(vatId: string, check: VatIdCheck | null, at: string): boolean {
  const validAt = check?.vatId === vatId ? check.validAt : null;
  return vatId !== "" && validAt !== null && addMilliseconds(validAt, vatIdGoodDays * 86_400_000) > at;
}
