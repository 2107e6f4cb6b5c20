import { z } from "zod";

import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { parseName } from "../kernel/values.ts";
import type { AccountEvent } from "./account.events.ts";
import { isCountry } from "./countries.ts";
import { faultOfVatId, plainVatId } from "./vat-id.ts";

/** What a customer is. */
export const profileKinds = ["person", "organisation"] as const;
/** What a customer is. */
export type ProfileKind = (typeof profileKinds)[number];

/** The most characters of each text of a profile: what EPP contacts hold (RFC 5733 §4), and less where nobody needs that much. */
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
} as const;

/** A text of a profile, as REST names it. */
export type ProfileText = keyof typeof profileLimits;

/** Who the customer is, as registries and invoices want to know it. A text that is not known is empty. */
export interface ProfileFields extends Readonly<Record<ProfileText, string>> {
  readonly kind: ProfileKind | null;
}

/** A profile with the number of its changes: the same number means the same data. */
export interface AccountProfile extends ProfileFields {
  /** 0 while nothing was ever said. */
  readonly version: number;
  readonly changedAt: string | null;
}

/** A field of a profile, as REST names it. */
export type ProfileField = keyof ProfileFields;

/** All texts, in the order in which they are shown. */
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
];

/** The profile of an account of which nothing is known, or nothing more. */
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
};

/** The fields that a registry wants of a registrant and that are not known, in the order in which they are shown. */
export function missingOfRegistrant(profile: ProfileFields): readonly ProfileField[] {
  const isNeeded = (field: ProfileText): boolean =>
    field === "organisation" ? profile.kind === "organisation" : field !== "vat_id";
  const missing: readonly ProfileField[] = profileTexts.filter(
    (field) => isNeeded(field) && profile[field] === "",
  );
  return profile.kind === null ? ["kind", ...missing] : missing;
}

/** Reads what the customer is; nothing at all takes it back. */
export function parseProfileKind(text: string): Parsed<ProfileKind | null> {
  if (text === "") return parsed(null);
  const kind = profileKinds.find((each) => each === text);
  return kind === undefined ? unparsable(`must be ${profileKinds.join(" or ")}`) : parsed(kind);
}

/** Reads a text of a profile; an empty one takes it back. */
export function parseProfileText(field: ProfileText, text: string): Parsed<string> {
  if (text.trim() === "") return parsed("");
  const line = parseName(text, profileLimits[field]);
  if (!line.ok) return line;
  const value = field === "vat_id" ? plainVatId(line.value) : line.value;
  const sentence = ruleOf(field, value);
  return sentence === undefined ? parsed(value) : unparsable(sentence);
}

/** The rule of its own that a text breaks; undefined where it breaks none. */
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
    default:
      return undefined;
  }
}

/** The profile that a fact tells. */
export function profileOf({
  accountId: _,
  postalCode,
  vatId,
  ...fields
}: Extract<AccountEvent, { type: "ProfileChanged" }>["data"]): AccountProfile {
  return { ...fields, postal_code: postalCode, vat_id: vatId };
}

/**
 * Country codes of one and of two digits (ITU-T E.164, list of assigned codes); all others have three. No code is the
 * beginning of another one.
 */
const shortCodes = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/**
 * A telephone number as EPP writes it (RFC 5733 §2.5), `+49.3012345678`, of one that is written so or as E.164 does,
 * `+493012345678`.
 * @returns undefined for what is no number of 7 to 15 digits with its country's code.
 */
export function eppPhone(text: string): string | undefined {
  const [, first = "", dot, rest = ""] = /^\+(\d{1,15})(?:(\.)(\d{1,14}))?$/.exec(text) ?? [];
  const digits = first + rest;
  if (digits.length < 7 || digits.length > 15 || digits.startsWith("0")) return undefined;
  const code = shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3);
  // A dot anywhere else makes another country of it.
  return dot !== undefined && first !== code ? undefined : `+${code}.${digits.slice(code.length)}`;
}
