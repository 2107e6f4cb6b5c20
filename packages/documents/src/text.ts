/** The day of an instant, in UTC, as every number of a document counts its year: `2026-11-21`. */
export function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

/**
 * A text that any XML 1.0 document and any line of a page can hold. Characters that XML cannot carry at all (§2.2, Char) become
 * U+FFFD, so that a reader sees that something stood there. Marks that turn the direction of a whole line would let a
 * name rearrange the figures beside it, hence they go too.
 */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\r\n]+/g, " ")
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF\p{Bidi_Control}]/gu, "\uFFFD");
}
