/** Returns the UTC day of an instant, which also determines the year in document numbers: `2026-11-21`. */
export function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/**
 * Returns a text that XML 1.0 and a line of a page can contain. Characters that XML forbids (§2.2, Char) become U+FFFD, so
 * that readers see the gap. So do direction controls, because they could rearrange the figures beside a name.
 */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\r\n]+/g, " ")
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF\p{Bidi_Control}]/gu, "\uFFFD");
}
