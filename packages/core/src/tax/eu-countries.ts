/**
 * Standard VAT rates of the member states in basis points (2 550 is 25.5 %), as of 1 January 2026 (Directive 2006/112/EC,
 * Article 96; European Commission, "Taxes in Europe Database"). Staff set later rates with `admin tax set`.
 */
export const standardRates = {
  AT: 2_000,
  BE: 2_100,
  BG: 2_000,
  CY: 1_900,
  CZ: 2_100,
  DE: 1_900,
  DK: 2_500,
  EE: 2_400,
  ES: 2_100,
  FI: 2_550,
  FR: 2_000,
  GR: 2_400,
  HR: 2_500,
  HU: 2_700,
  IE: 2_300,
  IT: 2_200,
  LT: 2_100,
  LU: 1_700,
  LV: 2_100,
  MT: 1_800,
  NL: 2_100,
  PL: 2_300,
  PT: 2_300,
  RO: 2_100,
  SE: 2_500,
  SI: 2_200,
  SK: 2_300,
} as const satisfies Readonly<Record<string, number>>;

/** Monaco belongs to France's VAT territory (Directive 2006/112/EC, Article 7). */
const belongsTo: Readonly<Record<string, string>> = { MC: "FR" };

/**
 * Returns the member state whose VAT applies in a country, or undefined outside the Union's VAT territory. Territories with
 * a code of their own in ISO 3166-1 that are outside it, such as Åland or Guadeloupe (Article 6), are not member states here.
 * @param country ISO 3166-1 alpha-2.
 */
export function vatCountryOf(country: string): string | undefined {
  const state = belongsTo[country] ?? country;
  return Object.hasOwn(standardRates, state) ? state : undefined;
}
