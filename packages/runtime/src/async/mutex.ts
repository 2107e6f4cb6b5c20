import { realTiming, type Timing } from "./timing.ts";

/** Releases the lock; repeated calls are ignored. */
export type Release = () => void;

/** Runs work one at a time, in order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work after all earlier work; resolves or rejects like the work. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

export interface KeyedMutexOptions {
  /** Maximum waiters per key. Default: unlimited. */
  readonly waiting?: number;
  readonly timing?: Timing;
}

/** A mutex per key: work on one key waits only for other work on that key. */
export class KeyedMutex<Key> {
  readonly #waiting = new Map<Key, (() => void)[]>();
  readonly #limit: number;
  readonly #timing: Timing;

  constructor({ waiting = Number.POSITIVE_INFINITY, timing = realTiming }: KeyedMutexOptions = {}) {
    this.#limit = waiting;
    this.#timing = timing;
  }

  /** Returns true while the key is locked. */
  isHeld(key: Key): boolean {
    return this.#waiting.has(key);
  }

  /** Waits for the key's lock. @param limitMs 0 acquires only a free key @returns undefined on timeout */
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

  /** Runs the work after all earlier work on the key; resolves or rejects like the work. */
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
