import { realTiming, type Timing } from "./timing.ts";

/** Gives back what was acquired; what is given back a second time is not counted. */
export type Release = () => void;

/** Lets one piece of work run after the other, in the order in which they were asked for. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when everything before it has ended, however it ended; settles as the work does. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** How a keyed mutex is waited for. */
export interface KeyedMutexOptions {
  /** So many wait for one key at most. Default: any number. */
  readonly waiting?: number;
  readonly timing?: Timing;
}

/** A mutex for each key: work on one thing waits for other work on it, and for nothing else. */
export class KeyedMutex<Key> {
  readonly #waiting = new Map<Key, (() => void)[]>();
  readonly #limit: number;
  readonly #timing: Timing;

  constructor({ waiting = Number.POSITIVE_INFINITY, timing = realTiming }: KeyedMutexOptions = {}) {
    this.#limit = waiting;
    this.#timing = timing;
  }

  /** True while somebody has it. */
  isHeld(key: Key): boolean {
    return this.#waiting.has(key);
  }

  /**
   * Waits until nobody else has it.
   *
   * @param limitMs how long at most; 0 takes it only where nobody has it.
   * @returns undefined where the time was over first, or where too many wait.
   */
  acquire(key: Key, limitMs: number): Promise<Release | undefined> {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      this.#waiting.set(key, []);
      return Promise.resolve(this.#releaseOf(key));
    }
    if (limitMs <= 0 || waiting.length >= this.#limit) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const acquired = (): void => {
        callOff();
        resolve(this.#releaseOf(key));
      };
      const callOff = this.#timing.after(limitMs, () => {
        const place = waiting.indexOf(acquired);
        if (place !== -1) waiting.splice(place, 1);
        resolve(undefined);
      });
      waiting.push(acquired);
    });
  }

  /** Runs the work when everything before it under the key has ended; settles as the work does. */
  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, []);
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  #releaseOf(key: Key): Release {
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(key);
      isHeld = false;
    };
  }

  #release(key: Key): void {
    const next = this.#waiting.get(key)?.shift();
    if (next === undefined) this.#waiting.delete(key);
    else next();
  }
}
