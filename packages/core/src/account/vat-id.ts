import * as jsvat from "jsvat";

import { isCountry } from "./countries.ts";

/** Countries whose VAT ids have a published shape and check digit, by prefix. */
const checkers: Readonly<Record<string, jsvat.Country>> = {
  AT: jsvat.austria,
  // The library does not know the numbers that Belgium issues since 2023, which begin with 1.
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

/** Prefixes whose numbers are those of another prefix: Greece's second one, and Northern Ireland. */
const sameNumbers: Readonly<Record<string, string>> = { GR: "EL", XI: "GB" };

/** Countries whose businesses have VAT ids with another prefix than the country's code (ISO 3166-1). */
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

/** A VAT id without what people write between its characters: `nl 0044.95.445.B.01` is `NL004495445B01`. */
export function plainVatId(text: string): string {
  return text.replaceAll(/[\s./-]/gu, "").toUpperCase();
}

/** The sentence about a VAT id that cannot be one; undefined for a right one. Numbers of countries without a checker pass. */
export function faultOfVatId(vatId: string): string | undefined {
  if (!/^[A-Z]{2}[0-9A-Z+*]{2,18}$/.test(vatId) || !hasVatPrefix(vatId))
    return "must be a VAT id with its country's prefix, such as DE123456788";
  const prefix = vatId.slice(0, 2);
  const issuer = sameNumbers[prefix] ?? prefix;
  const checker = checkers[issuer];
  if (checker === undefined) return undefined;
  // The library counts zeros as digits whose check digit is zero, and Dutch numbers of no person (B00).
  const isNobodys = !/[1-9]/.test(vatId) || (issuer === "NL" && vatId.endsWith("B00"));
  if (isNobodys && /\d/.test(vatId)) return `must have the shape of a VAT id of ${prefix}`;
  const { isValid, isValidFormat } = jsvat.checkVAT(`${issuer}${vatId.slice(2)}`, [checker]);
  if (isValid) return undefined;
  return isValidFormat
    ? `must be a VAT id of ${prefix}: its check digit is wrong`
    : `must have the shape of a VAT id of ${prefix}`;
}

/** The sentence about a VAT id of another country than the profile's; undefined where they fit, or one is not known. */
export function faultOfVatCountry(vatId: string, country: string): string | undefined {
  if (vatId === "" || country === "") return undefined;
  const prefixes = otherPrefixes[country] ?? [country];
  if (prefixes.includes(vatId.slice(0, 2))) return undefined;
  return `must begin with ${prefixes.join(" or ")}, as VAT ids of the profile's country ${country} do`;
}

/** True for a VAT id that an electronic invoice may name (EN 16931, BR-CO-09). */
export function hasVatPrefix(vatId: string): boolean {
  const prefix = vatId.slice(0, 2);
  return isCountry(prefix) || prefix in sameNumbers || prefix === "EL";
}

/** The last two of ten digits are 97 less the remainder of the first eight; a zero in front may be left out. */
function isBelgian(digits: string): boolean {
  const ten = digits.padStart(10, "0");
  return 97 - (Number(ten.slice(0, 8)) % 97) === Number(ten.slice(8));
}
