import { z } from "zod";

import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { parseName } from "../kernel/values.ts";
import { isCountry } from "../tax/countries.ts";
import { isLeitwegId, leitwegIdLimit } from "./leitweg-id.ts";
import { faultOfVatId, plainVatId } from "../tax/vat-id.ts";

export const profileKinds = ["person", "organisation"] as const;
export type ProfileKind = (typeof profileKinds)[number];

/** Maximum characters of a profile's texts: the limits of EPP contacts (RFC 5733 §4), or less. */
export const profileLimits = {
  name: 200,
  organisation: 200,
  street: 200,
  city: 100,
  postal_code: 16,
  country: 2,
  email: 254,
  phone: 17,
  vat_id: 20,
  leitweg_id: leitwegIdLimit,
} as const;

export type ProfileText = keyof typeof profileLimits;

/** A customer's profile for registries and invoices. Unknown texts are empty. */
export interface ProfileFields extends Readonly<Record<ProfileText, string>> {
  readonly kind: ProfileKind | null;
}

/** A profile with its version; equal versions have equal data. */
export interface AccountProfile extends ProfileFields {
  /** Number of changes; 0 for a new profile. */
  readonly version: number;
  readonly changedAt: string | null;
}

export type ProfileField = keyof ProfileFields;

export const profileTexts: readonly ProfileText[] = [
  "name",
  "organisation",
  "street",
  "city",
  "postal_code",
  "country",
  "email",
  "phone",
  "vat_id",
  "leitweg_id",
];

/** The profile of a new or erased account. */
export const emptyProfile: AccountProfile = {
  version: 0,
  changedAt: null,
  kind: null,
  name: "",
  organisation: "",
  street: "",
  city: "",
  postal_code: "",
  country: "",
  email: "",
  phone: "",
  vat_id: "",
  leitweg_id: "",
};

/** Texts that only invoices need. */
const ofInvoices: ReadonlySet<ProfileText> = new Set(["vat_id", "leitweg_id"]);

/** Returns the missing fields that a registry requires of a registrant, in display order. */
export function missingOfRegistrant(profile: ProfileFields): readonly ProfileField[] {
  const isNeeded = (field: ProfileText): boolean =>
    field === "organisation" ? profile.kind === "organisation" : !ofInvoices.has(field);
  const missing: readonly ProfileField[] = profileTexts.filter(
    (field) => isNeeded(field) && profile[field] === "",
  );
  return profile.kind === null ? ["kind", ...missing] : missing;
}

/** Reads the kind of customer; an empty text clears it. */
export function parseProfileKind(text: string): Parsed<ProfileKind | null> {
  if (text === "") return parsed(null);
  const kind = profileKinds.find((each) => each === text);
  return kind === undefined ? unparsable(`must be ${profileKinds.join(" or ")}`) : parsed(kind);
}

/** Reads a text of a profile; an empty text clears the field. */
export function parseProfileText(field: ProfileText, text: string): Parsed<string> {
  if (text.trim() === "") return parsed("");
  const line = parseName(text, profileLimits[field]);
  if (!line.ok) return line;
  const value = field === "vat_id" ? plainVatId(line.value) : line.value;
  const sentence = ruleOf(field, value);
  return sentence === undefined ? parsed(value) : unparsable(sentence);
}

/** Returns the field's own rule that a text breaks; undefined if the text is valid. */
function ruleOf(field: ProfileText, text: string): string | undefined {
  switch (field) {
    case "country":
      return isCountry(text)
        ? undefined
        : "must be a country of ISO 3166-1 in two capital letters, such as DE";
    case "email":
      return z.email().safeParse(text).success ? undefined : "must be an e-mail address";
    case "phone":
      return eppPhone(text) === undefined
        ? "must be a number with its country's code, such as +493012345678"
        : undefined;
    case "vat_id":
      return faultOfVatId(text);
    case "leitweg_id":
      return isLeitwegId(text)
        ? undefined
        : "must be a Leitweg-ID with its check digits, such as 991-03730-19";
    default:
      return undefined;
  }
}

/** Country codes of one or two digits (ITU-T E.164); all others have three. No code is a prefix of another. */
const shortCodes = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/**
 * Converts a telephone number to EPP's notation (RFC 5733 §2.5), `+49.3012345678`. Accepts E.164, `+493012345678`, as well.
 * @returns undefined unless the text has 7 to 15 digits with a country code.
 */
export function eppPhone(text: string): string | undefined {
  const [, first = "", dot, rest = ""] = /^\+(\d{1,15})(?:(\.)(\d{1,14}))?$/.exec(text) ?? [];
  const digits = first + rest;
  if (digits.length < 7 || digits.length > 15 || digits.startsWith("0")) return undefined;
  const code = shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3);
  // A dot in another place would change the country code.
  return dot !== undefined && first !== code ? undefined : `+${code}.${digits.slice(code.length)}`;
}
