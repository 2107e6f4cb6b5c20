import { z } from "zod";

import { addMonths, epochMilliseconds } from "../calendar/calendar.ts";
import type { DataOf } from "../kernel/event-definition.ts";
import { basisPoints, count, day, line, text } from "../kernel/fields.ts";
import { standardRateOn, taxRules, type TaxRules } from "../tax/tax-rules.decider.ts";
import type { TaxMode, TaxTreatment } from "../tax/tax-treatment.ts";
import { seller, type SellerState } from "../seller/seller.decider.ts";
import { sellerFields } from "../seller/seller.events.ts";
import type { AccountProfile } from "./profile.ts";

/** Inputs that a document freezes beside its amounts, so that settings never change it. */
export const documentTerms = {
  /** Date of the document in the seller's time zone; never before the account's previous one. */
  businessDate: day,
  seller: z.strictObject(sellerFields),
  /** Version of the buyer's profile; 0 if the customer had none. */
  buyerVersion: z.int().nonnegative(),
  /** First and last day of the supply; null for a payment, and if nobody named a period. */
  supply: z.strictObject({ from: day, to: day }).nullable(),
  /** Tax treatment; null on a receipt, because only the later invoice shows the purchase. */
  tax: z
    .strictObject({
      category: z.enum(["S", "AE", "O", "E"]),
      /** Country whose VAT applies, ISO 3166-1 alpha-2. */
      country: line(2),
      rateBasisPoints: basisPoints,
      reason: z.enum([
        "flat",
        "domestic",
        "seller-rate",
        "oss",
        "reverse-charge",
        "outside-eu",
        "small-business",
        "exempted",
      ]),
      /** Text that the law requires; empty at a standard rate. */
      legalText: line(500),
    })
    .nullable(),
  language: z.enum(["de", "en"]),
  /** Version of the layout. */
  templateVersion: count,
  /** What was sold, by name; null for a payment, and if nobody named it. */
  sold: z
    .strictObject({ domain: text.nullable(), server: text.nullable(), plan: text.nullable() })
    .nullable(),
};

/** Inputs that a document has frozen. */
export type DocumentTerms = DataOf<typeof documentTerms>;

/** Version of the layout of documents that are issued now. */
export const templateVersion = 1;

/** Years for which the law keeps an invoice after the year of its issue (§14b (1) UStG). */
export const invoiceRetentionYears = 8;

/** Years for which the law keeps books and journals after the year of the posting (§147 (3) AO). */
export const journalRetentionYears = 10;

/** Returns the last year for which the law keeps a document. */
export function keptUntilYear(
  businessDate: string,
  { retentionYears }: Pick<IssuingTerms, "retentionYears">,
): number {
  return Number(businessDate.slice(0, 4)) + retentionYears;
}

/** Terms of a document whose command names none. */
export const unnamedTerms: IssuingTerms = {
  ...seller.initialState,
  mode: "flat",
  rules: taxRules.initialState,
  retentionYears: invoiceRetentionYears,
};

/** Returns the terms that a command names. */
export function termsOf({ terms = unnamedTerms }: { readonly terms?: IssuingTerms }): IssuingTerms {
  return terms;
}

/** Inputs of a document beside the account: seller and taxes in force. */
export interface IssuingTerms extends SellerState {
  readonly mode: TaxMode;
  readonly rules: TaxRules;
  readonly retentionYears: number;
}

/**
 * Returns the rate in basis points that prices with VAT contain: the seller's domestic rate. Under the flat rule it is the
 * document's own, because an exempt account pays the whole price (contract, "Money rules").
 */
export function containedRate(
  { mode, rules, seller: own }: IssuingTerms,
  { rateBasisPoints }: Pick<TaxTreatment, "rateBasisPoints">,
  businessDate: string,
): bigint {
  if (mode === "flat") return BigInt(rateBasisPoints);
  const domestic = own.isSmallBusiness ? 0 : standardRateOn(rules, own.country, businessDate);
  return BigInt(domestic ?? 0);
}

/** What was sold, by name. */
export type Sold = NonNullable<DocumentTerms["sold"]>;

/** Returns the business date of a document that an account issues now. */
export function issueDate(
  terms: IssuingTerms,
  at: string,
  { businessDate }: { readonly businessDate: string },
): string {
  return businessDateOf(at, terms.seller.timeZone, businessDate);
}

/**
 * Returns the day of an instant in a time zone, but never a day before `previous`: a clock that goes back dates no document
 * before the account's last one.
 * @param at ISO 8601 UTC.
 * @param timeZone IANA name.
 */
export function businessDateOf(at: string, timeZone: string, previous = ""): string {
  const day = dayFormat(timeZone).format(new Date(epochMilliseconds(at)));
  return day > previous ? day : previous;
}

/** Formats of days by time zone, because making one costs more than using it. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();

function dayFormat(timeZone: string): Intl.DateTimeFormat {
  const known = dayFormats.get(timeZone);
  if (known !== undefined) return known;
  // Canadian English writes YYYY-MM-DD.
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  dayFormats.set(timeZone, format);
  return format;
}

/** A period that a charge pays for. Both are instants; the period ends before `until`. */
export interface SupplyPeriod {
  readonly from: string;
  readonly until: string;
}

/** Returns the period that begins at an instant and lasts some months. */
export function periodOf(from: string, months: number): SupplyPeriod {
  return { from, until: addMonths(from, months) };
}

/** Returns the first and last day of a period in a time zone. */
export function supplyDays(
  { from, until }: SupplyPeriod,
  timeZone: string,
): NonNullable<DocumentTerms["supply"]> {
  const last = new Date(`${businessDateOf(until, timeZone)}T00:00:00Z`);
  last.setUTCDate(last.getUTCDate() - 1);
  return { from: businessDateOf(from, timeZone), to: last.toISOString().slice(0, 10) };
}

/** Countries whose customers get documents in German unless their profile names a language. */
const germanSpeaking: ReadonlySet<string> = new Set(["DE", "AT", "CH", "LI"]);

export function languageOf({ country }: Pick<AccountProfile, "country">): "de" | "en" {
  return germanSpeaking.has(country) ? "de" : "en";
}

/** The buyer on a document: the profile's texts at its issue, and the account's name. */
export function buyerText(name: string, { kind, ...profile }: AccountProfile): string {
  const { organisation, street, postal_code: postalCode, city, country } = profile;
  const { vat_id: vatId, leitweg_id: leitwegId } = profile;
  return JSON.stringify({
    kind,
    name: profile.name === "" ? name : profile.name,
    organisation,
    street,
    postalCode,
    city,
    country,
    email: profile.email,
    vatId,
    leitwegId,
  });
}
