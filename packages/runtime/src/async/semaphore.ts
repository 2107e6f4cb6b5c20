import type { Release } from "./mutex.ts";

/** As many work and wait as may. */
export class SemaphoreFullError extends Error {
  override readonly name = "SemaphoreFullError";
}

/** How many may work, and how many may wait for it. */
export interface SemaphoreOptions {
  readonly permits: number;
  /** Default: any number. */
  readonly waiting?: number;
}

/** Lets so many work at one time, in the order in which they came. */
export class Semaphore {
  readonly #options: Required<SemaphoreOptions>;
  readonly #waiting: (() => void)[] = [];
  #held = 0;

  constructor({ permits, waiting = Number.POSITIVE_INFINITY }: SemaphoreOptions) {
    this.#options = { permits, waiting };
  }

  /** Waits for a permit. @throws SemaphoreFullError at once, when too many wait already. */
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

  /** Runs the work under a permit; settles as the work does. @throws SemaphoreFullError the work was not begun. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** The permit goes to whoever waits for it longest. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#held -= 1;
    else next();
  }
}
