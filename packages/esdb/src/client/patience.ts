import { setTimeout as sleep } from "node:timers/promises";

/** How long and how often to try again. */
export interface PatienceLimits {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  readonly patienceMs: number;
}

/** Counts the pauses between attempts at one thing: they double, and end when it has failed for too long. */
export class Patience {
  readonly #limits: PatienceLimits;
  #pauseMs: number;
  #end: number;

  constructor(limits: PatienceLimits) {
    this.#limits = limits;
    this.#pauseMs = limits.firstPauseMs;
    this.#end = performance.now() + limits.patienceMs;
  }

  /** Something came: the count begins anew. */
  renew(): void {
    this.#pauseMs = this.#limits.firstPauseMs;
    this.#end = performance.now() + this.#limits.patienceMs;
  }

  get over(): boolean {
    return performance.now() + this.#pauseMs >= this.#end;
  }

  /** Waits before the next attempt, up to a quarter longer or shorter, so that not everyone comes at once. */
  async pause(signal: AbortSignal): Promise<void> {
    const pauseMs = this.#pauseMs * (0.75 + Math.random() / 2);
    this.#pauseMs = Math.min(this.#pauseMs * 2, this.#limits.longestPauseMs);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
