import type { Ownership } from "../storage/storage.port.ts";
import type { PositionWaiters } from "./position-waiters.ts";

/**
 * Exchanges between processes whether a caller waits, because the writer of the tables may pause while nobody waits. A
 * standby process reports its waiting callers once until the next commit.
 */
export class AwaitedAnnouncement {
  readonly #ownership: Pick<Ownership, "announceAwaited" | "onAwaited">;
  readonly #waiters: PositionWaiters;
  /** True if waiting callers were reported since the last commit. */
  #isSaid = false;

  constructor(ownership: Pick<Ownership, "announceAwaited" | "onAwaited">, waiters: PositionWaiters) {
    this.#ownership = ownership;
    this.#waiters = waiters;
    ownership.onAwaited(() => {
      waiters.awaitElsewhere();
    });
  }

  /** Reports waiting callers of this process, if there are any. */
  announce(): void {
    if (this.#isSaid || !this.#waiters.isAwaited) return;
    this.#isSaid = true;
    this.#ownership.announceAwaited();
  }

  /** Reports callers that still wait after a commit. */
  onNews(): void {
    this.#isSaid = false;
    this.announce();
  }
}
