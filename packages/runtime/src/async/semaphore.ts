import type { Release } from "./mutex.ts";
import { presentOwner } from "./on-behalf.ts";

/** Thrown if the maximum of waiters is reached. */
export class SemaphoreFullError extends Error {
  override readonly name = "SemaphoreFullError";
}

/** Number of permits, and maximum of waiters. */
export interface SemaphoreOptions {
  readonly permits: number;
  /** Default: unlimited. */
  readonly waiting?: number;
  /** Maximum permits of one owner. Default: all of them. */
  readonly permitsPerOwner?: number;
}

/** Work without an owner takes turns as if it had one. */
const noOwner = "";

/** Limits concurrent work. Owners (see `onBehalfOf`) take turns; the work of one owner begins in order of arrival. */
export class Semaphore {
  readonly #options: Required<SemaphoreOptions>;
  /** Waiting work by owner. The owner whose last turn is longest ago is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #heldBy = new Map<string, number>();
  #held = 0;
  #waiters = 0;

  constructor({ permits, waiting = Number.POSITIVE_INFINITY, permitsPerOwner = permits }: SemaphoreOptions) {
    this.#options = { permits, waiting, permitsPerOwner };
  }

  /** Waits for a permit. @throws SemaphoreFullError at once if too many wait */
  async acquire(): Promise<Release> {
    const { permits, waiting } = this.#options;
    const owner = presentOwner() ?? noOwner;
    if (this.#held < permits && this.#mayTake(owner)) this.#take(owner);
    else if (this.#waiters < waiting) await this.#turnOf(owner);
    else throw new SemaphoreFullError(`${String(this.#held)} are at work and ${String(waiting)} wait`);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(owner);
      isHeld = false;
    };
  }

  /** Runs work with a permit; resolves or rejects like the work. @throws SemaphoreFullError before the work begins */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  #mayTake(owner: string): boolean {
    return (this.#heldBy.get(owner) ?? 0) < this.#options.permitsPerOwner;
  }

  #take(owner: string): void {
    this.#held += 1;
    this.#heldBy.set(owner, (this.#heldBy.get(owner) ?? 0) + 1);
  }

  #turnOf(owner: string): Promise<void> {
    this.#waiters += 1;
    return new Promise((resolve) => {
      const queue = this.#waiting.get(owner);
      if (queue === undefined) this.#waiting.set(owner, [resolve]);
      else queue.push(resolve);
    });
  }

  /** Passes the permit to the next owner that may have one. */
  #release(owner: string): void {
    this.#held -= 1;
    const held = (this.#heldBy.get(owner) ?? 0) - 1;
    if (held === 0) this.#heldBy.delete(owner);
    else this.#heldBy.set(owner, held);
    for (const [next, queue] of this.#waiting) {
      if (!this.#mayTake(next)) continue;
      this.#waiting.delete(next);
      const begin = queue.shift();
      if (queue.length > 0) this.#waiting.set(next, queue);
      this.#waiters -= 1;
      this.#take(next);
      begin?.();
      return;
    }
  }
}
