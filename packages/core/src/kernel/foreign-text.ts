/** Characters of a foreign text that a sentence repeats. */
const excerptCharacters = 200;

/** A text that anybody may have written, on one line, without what paints a terminal; as long as it was. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/gu, "\u{fffd}");
}

/** What a sentence says of a text that anybody may have written: its beginning, on one line. */
export function excerptOf(text: string): string {
  const beginning = text.length > excerptCharacters ? `${text.slice(0, excerptCharacters)}…` : text;
  return onOneLine(beginning.toWellFormed());
}
