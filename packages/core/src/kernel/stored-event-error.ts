/** Characters of a foreign text that a sentence repeats. */
const excerptCharacters = 200;

/** What a sentence says of a text that anybody may have written: its beginning, on one line, without what paints a terminal. */
export function excerptOf(text: string): string {
  const beginning = text.length > excerptCharacters ? `${text.slice(0, excerptCharacters)}…` : text;
  return beginning.toWellFormed().replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/gu, "\u{fffd}");
}

/**
 * A stored event that today's rules cannot take. No bug of whoever reads it: once it is named, staff and auditors are
 * answered the sentence, so that they know which event it is; customers are not.
 */
export abstract class StoredEventError extends Error {
  #isNamed = false;

  /** Names the event, unless it is named already. @param place the event in words: `account-7@3 (BalanceCharged.v1)` */
  at(place: string): this {
    if (!this.#isNamed) this.message = `${place}: ${this.message}`;
    this.#isNamed = true;
    return this;
  }
}
