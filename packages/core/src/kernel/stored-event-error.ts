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
