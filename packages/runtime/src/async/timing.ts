/** How time is waited for. The machine's own, or a test's, in which waiting costs nothing. */
export interface Timing {
  /** Milliseconds from some moment on; they only go forwards, whatever becomes of the machine's clock. */
  monotonicMilliseconds(): number;
  /** Waits so many milliseconds, or until the signal aborts; then it returns all the same. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls once after so many milliseconds. @returns what calls it off, and may be called at any time */
  after(milliseconds: number, call: () => void): CallOff;
}

/** Sees to it that a call that was to come does not come. */
export type CallOff = () => void;

/** The longest wait that Node's timers keep; a longer one would be over at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Makes a timing of a way to be called later. */
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

/** The machine's milliseconds since the process began; for what is measured, and for limits. */
export function monotonicMilliseconds(): number {
  return performance.now();
}

/** Stops the whole thread for so long: only where nothing else can go on before something is over. */
export function blockThread(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The machine's time. Whoever waits for it keeps the process running. */
export const realTiming: Timing = timingBy({
  monotonicMilliseconds,
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(milliseconds, longestTimerMs));
    return () => {
      clearTimeout(timer);
    };
  },
});

/** The machine's time, for waits in the background: a process that has nothing else to do may end meanwhile. */
export const backgroundTiming: Timing = timingBy({
  monotonicMilliseconds,
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(milliseconds, longestTimerMs)).unref();
    return () => {
      clearTimeout(timer);
    };
  },
});

/** A function, since the compiler takes a property that was false before an `await` for false after it. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
