/** A place at the head of a line; letting go of it calls up the next one. */
export type Release = () => void;

/** Lines in which work on one thing waits for other work on it: one line for each key, one at its head at a time. */
export interface Lines {
  /** True while somebody is at the head of the line. */
  isBusy(key: string): boolean;
  /**
   * Waits for the head of the line.
   * @param patienceMs how long at most; 0 takes the head only where nobody is there.
   * @returns undefined where patience ended first, or where the line is too long to wait in.
   */
  enter(key: string, patienceMs: number): Promise<Release | undefined>;
}

/** Makes lines. @param lengthLimit so many wait in one line at most. */
export function createLines(lengthLimit: number): Lines {
  const lines = new Map<string, (() => void)[]>();

  function release(key: string): void {
    const next = lines.get(key)?.shift();
    if (next === undefined) lines.delete(key);
    else next();
  }

  /** A head that can be let go of once only. */
  function headOf(key: string): Release {
    let isHeld = true;
    return () => {
      if (isHeld) release(key);
      isHeld = false;
    };
  }

  return {
    isBusy: (key) => lines.has(key),
    enter(key, patienceMs) {
      const waiting = lines.get(key);
      if (waiting === undefined) {
        lines.set(key, []);
        return Promise.resolve(headOf(key));
      }
      if (patienceMs <= 0 || waiting.length >= lengthLimit) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const called = (): void => {
          clearTimeout(timer);
          resolve(headOf(key));
        };
        const timer = setTimeout(() => {
          const place = waiting.indexOf(called);
          if (place !== -1) waiting.splice(place, 1);
          resolve(undefined);
        }, patienceMs);
        waiting.push(called);
      });
    },
  };
}
