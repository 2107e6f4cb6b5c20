/** A stored event that the rules cannot apply; not a bug. Staff and auditors get its sentence, customers do not. */
export abstract class StoredEventError extends Error {
  #isNamed = false;

  /** Adds the event's place to the message once. @param place for example `account-7@3 (BalanceCharged.v1)` */
  at(place: string): this {
    if (!this.#isNamed) this.message = `${place}: ${this.message}`;
    this.#isNamed = true;
    return this;
  }
}
