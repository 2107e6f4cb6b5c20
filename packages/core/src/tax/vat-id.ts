import * as jsvat from "jsvat";

import { isCountry } from "./countries.ts";

/** Countries with a published shape and check digit of VAT ids, by prefix. */
const checkers: Readonly<Record<string, jsvat.Country>> = {
  AT: jsvat.austria,
  // The library does not know Belgian numbers that begin with 1, issued since 2023.
  BE: { ...jsvat.belgium, rules: { multipliers: {}, regex: [/^(BE)([01]?\d{9})$/] }, calcFn: isBelgian },
  BG: jsvat.bulgaria,
  CH: jsvat.switzerland,
  CY: jsvat.cyprus,
  CZ: jsvat.czechRepublic,
  DE: jsvat.germany,
  DK: jsvat.denmark,
  EE: jsvat.estonia,
  EL: jsvat.greece,
  ES: jsvat.spain,
  FI: jsvat.finland,
  FR: jsvat.france,
  GB: jsvat.unitedKingdom,
  HR: jsvat.croatia,
  HU: jsvat.hungary,
  IE: jsvat.ireland,
  IT: jsvat.italy,
  LT: jsvat.lithuania,
  LU: jsvat.luxembourg,
  LV: jsvat.latvia,
  MT: jsvat.malta,
  NL: jsvat.netherlands,
  NO: jsvat.norway,
  PL: jsvat.poland,
  PT: jsvat.portugal,
  RO: jsvat.romania,
  SE: jsvat.sweden,
  SI: jsvat.slovenia,
  SK: jsvat.slovakiaRepublic,
};

/** Prefixes that use another prefix's rules: Greece's second prefix, and Northern Ireland. */
const sameNumbers: Readonly<Record<string, string>> = { GR: "EL", XI: "GB" };

/** Countries whose VAT prefix differs from their code in ISO 3166-1. */
const otherPrefixes: Readonly<Record<string, readonly string[]>> = {
  AX: ["FI"],
  GB: ["GB", "XI"],
  GF: ["FR"],
  GP: ["FR"],
  GR: ["EL", "GR"],
  IM: ["GB"],
  LI: ["LI", "CH"],
  MC: ["FR"],
  MQ: ["FR"],
  RE: ["FR"],
  YT: ["FR"],
};

/** Prefixes of VAT ids whose holders supply or receive services in the Union; Greece has two. */
const memberPrefixes: ReadonlySet<string> = new Set(
  "AT BE BG CY CZ DE DK EE EL ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" "),
);

/** Returns true if a member state issued the VAT id. Northern Ireland's (`XI`) are valid for goods only. */
export function isVatIdOfUnion(vatId: string): boolean {
  return memberPrefixes.has(vatId.slice(0, 2));
}

/** Removes separators from a VAT id: `nl 0044.95.445.B.01` becomes `NL004495445B01`. */
export function plainVatId(text: string): string {
  return text.replaceAll(/[\s./-]/gu, "").toUpperCase();
}

/** Returns the error of an invalid VAT id; undefined if it is valid. Countries without a checker accept all numbers. */
export function faultOfVatId(vatId: string): string | undefined {
  if (!/^[A-Z]{2}[0-9A-Z+*]{2,18}$/.test(vatId) || !hasVatPrefix(vatId))
    return "must be a VAT id with its country's prefix, such as DE123456788";
  const prefix = vatId.slice(0, 2);
  const issuer = sameNumbers[prefix] ?? prefix;
  const checker = checkers[issuer];
  if (checker === undefined) return undefined;
  // The library accepts numbers of zeros only and Dutch numbers that belong to nobody (B00).
  const isNobodys = !/[1-9]/.test(vatId) || (issuer === "NL" && vatId.endsWith("B00"));
  if (isNobodys && /\d/.test(vatId)) return `must have the shape of a VAT id of ${prefix}`;
  const { isValid, isValidFormat } = jsvat.checkVAT(`${issuer}${vatId.slice(2)}`, [checker]);
  if (isValid) return undefined;
  return isValidFormat
    ? `must be a VAT id of ${prefix}: its check digit is wrong`
    : `must have the shape of a VAT id of ${prefix}`;
}

/** Returns the error if the VAT id and the profile name different countries; undefined if they match or one is empty. */
export function faultOfVatCountry(vatId: string, country: string): string | undefined {
  if (vatId === "" || country === "") return undefined;
  const prefixes = otherPrefixes[country] ?? [country];
  if (prefixes.includes(vatId.slice(0, 2))) return undefined;
  return `must begin with ${prefixes.join(" or ")}, as VAT ids of the profile's country ${country} do`;
}

/** Returns true for a VAT prefix that an electronic invoice may contain (EN 16931, BR-CO-09). */
export function hasVatPrefix(vatId: string): boolean {
  const prefix = vatId.slice(0, 2);
  return isCountry(prefix) || prefix in sameNumbers || prefix === "EL";
}

/** The last two of ten digits are 97 minus the remainder of the first eight; a leading zero may be missing. */
function isBelgian(digits: string): boolean {
  const ten = digits.padStart(10, "0");
  return 97 - (Number(ten.slice(0, 8)) % 97) === Number(ten.slice(8));
}
