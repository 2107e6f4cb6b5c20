import type { Release } from "./mutex.ts";

/** Thrown if the maximum of waiters is reached. */
export class SemaphoreFullError extends Error {
  override readonly name = "SemaphoreFullError";
}

/** Number of permits, and maximum of waiters. */
export interface SemaphoreOptions {
  readonly permits: number;
  /** Default: unlimited. */
  readonly waiting?: number;
}

/** Limits concurrent work, in order of arrival. */
export class Semaphore {
  readonly #options: Required<SemaphoreOptions>;
  readonly #waiting: (() => void)[] = [];
  #held = 0;

  constructor({ permits, waiting = Number.POSITIVE_INFINITY }: SemaphoreOptions) {
    this.#options = { permits, waiting };
  }

  /** Waits for a permit. @throws SemaphoreFullError at once if too many wait */
  async acquire(): Promise<Release> {
    const { permits, waiting } = this.#options;
    if (this.#held < permits) this.#held += 1;
    else if (this.#waiting.length < waiting)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else throw new SemaphoreFullError(`${String(this.#held)} are at work and ${String(waiting)} wait`);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
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

  /** Passes the permit to the longest waiter. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#held -= 1;
    else next();
  }
}
