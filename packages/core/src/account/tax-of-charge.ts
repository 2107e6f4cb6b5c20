import { addMilliseconds } from "../calendar/calendar.ts";
import type { Cents } from "../money/money.ts";
import { taxTreatment, type TaxAnswer, type TaxMode } from "../tax/tax-treatment.ts";
import type { ChargeBalance } from "./account.commands.ts";
import type { OpenAccountState, VatIdCheck } from "./account.state.ts";
import { languageOf, termsOf } from "./document-terms.ts";
import { profileTexts, type AccountProfile, type ProfileText } from "./profile.ts";

/** How long the last good answer about a VAT id counts while the register does not answer, in days. */
export const vatIdGoodDays = 30;

/** Gross amount in cents (EUR) up to which an invoice needs no buyer's address (§33 UStDV: 250 euros). */
export const smallInvoiceCents: Cents = 25_000n;

/** Decides how a charge is taxed from the account's present profile. */
export function taxOfCharge(
  { supply, domainId, serverId, terms = termsOf({}), at }: ChargeBalance["data"],
  { profile, vatExempt, vatIdCheck }: OpenAccountState,
  businessDate: string,
): TaxAnswer {
  const { mode, rules, seller, ossFrom } = terms;
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
      supply: supply === undefined && domainId === null && serverId === null ? "other" : "electronic",
      businessDate,
      language: languageOf(profile),
    },
    rules,
  );
}

/** Returns what the profile lacks for an invoice above 250 euros gross; nothing under the flat rule. */
export function missingAddress(
  mode: TaxMode,
  grossCents: Cents,
  profile: AccountProfile,
): readonly ProfileText[] {
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
