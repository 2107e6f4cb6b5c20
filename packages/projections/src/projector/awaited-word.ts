import type { Ownership } from "../storage/storage.port.ts";
import type { PositionWaiters } from "./position-waiters.ts";

/**
 * What processes say to each other of those who wait: whoever keeps the tables may rest until somebody does. Of those who wait in a
 * process that stands by, it hears once until there is news.
 */
export class AwaitedWord {
  readonly #ownership: Pick<Ownership, "tellAwaited" | "hearAwaited">;
  readonly #waiters: PositionWaiters;
  /** True when it was told, and nothing was heard since. */
  #isSaid = false;

  constructor(ownership: Pick<Ownership, "tellAwaited" | "hearAwaited">, waiters: PositionWaiters) {
    this.#ownership = ownership;
    this.#waiters = waiters;
    ownership.hearAwaited(() => {
      waiters.awaitElsewhere();
    });
  }

  /** Says that somebody waits here, if somebody does. */
  tell(): void {
    if (this.#isSaid || !this.#waiters.isAwaited) return;
    this.#isSaid = true;
    this.#ownership.tellAwaited();
  }

  /** There is news: who goes on waiting is told of again. */
  hearNews(): void {
    this.#isSaid = false;
    this.tell();
  }
}
