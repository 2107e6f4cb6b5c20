/** Returns the UTC day of an instant: `2026-11-21`. */
export function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/** Returns a text for XML 1.0 and one line. Forbidden characters (§2.2, Char) and direction controls become U+FFFD. */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\r\n]+/g, " ")
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF\p{Bidi_Control}]/gu, "\uFFFD");
}

/** Writes a VAT rate: 1 900 basis points are `19`, 2 550 are `25.5`. */
export function ratePercent(basisPoints: number): string {
  return String(basisPoints / 100);
}
