/** Maximum characters of untrusted text in a sentence. */
const excerptCharacters = 200;

/** Replaces control characters and line breaks of untrusted text, which could change a terminal; keeps its length. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/gu, "\u{fffd}");
}

/** Returns the beginning of untrusted text on one line, for use in a sentence. */
export function excerptOf(text: string): string {
  const beginning = text.length > excerptCharacters ? `${text.slice(0, excerptCharacters)}…` : text;
  return onOneLine(beginning.toWellFormed());
}
