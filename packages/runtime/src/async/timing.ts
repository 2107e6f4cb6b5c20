/** Source of timers: the machine's, or a test's without real waiting. */
export interface Timing {
  /** Milliseconds since some moment, never decreasing even if the machine's clock is changed. */
  monotonicMilliseconds(): number;
  /** Waits some milliseconds, or until the signal aborts; resolves in both cases. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls a function once after some milliseconds. @returns cancels the call; may be called at any time */
  after(milliseconds: number, call: () => void): CallOff;
}

/** Cancels a pending call. */
export type CallOff = () => void;

/** Maximum delay of Node's timers; a longer delay would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

export function timingBy({ monotonicMilliseconds, after }: Omit<Timing, "sleep">): Timing {
  return {
    monotonicMilliseconds,
    after,
    sleep(milliseconds, signal) {
      if (signal?.aborted === true || milliseconds <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          callOff();
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        const callOff = after(milliseconds, wake);
        signal?.addEventListener("abort", wake, { once: true });
      });
    },
  };
}

/** Returns milliseconds since the process started, for measurements and time limits. */
export function monotonicMilliseconds(): number {
  return performance.now();
}

/** Blocks the whole thread; only for code that cannot continue asynchronously. */
export function blockThread(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The machine's timers, which keep the process alive. */
export const realTiming: Timing = timingBy({
  monotonicMilliseconds,
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(milliseconds, longestTimerMs));
    return () => {
      clearTimeout(timer);
    };
  },
});

/** The machine's timers for background waits, which do not keep the process alive. */
export const backgroundTiming: Timing = timingBy({
  monotonicMilliseconds,
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(milliseconds, longestTimerMs)).unref();
    return () => {
      clearTimeout(timer);
    };
  },
});

/** Returns whether the signal has aborted. A function, because TypeScript narrows a property across `await`. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
