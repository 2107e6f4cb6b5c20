import { realTiming, type CallOff, type Timing } from "./timing.ts";

/**
 * Waits for work, so long at most. The work itself goes on: whoever can be told to stop is told by the caller.
 *
 * @param late gives the answer, or throws the error, when the time is over.
 */
export async function within<Result, Late>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Late,
  timing: Timing = realTiming,
): Promise<Result | Late> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const callOff = timing.after(milliseconds, () => {
    resolve(undefined);
  });
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    callOff();
  }
}

/**
 * Waits until it is called, so many milliseconds at most, or until the signal aborts.
 *
 * @param hear is given what is to be called; calling it later, or twice, does nothing.
 */
export async function untilCalled(
  milliseconds: number,
  signal: AbortSignal,
  hear: (call: () => void) => void,
  timing: Timing = realTiming,
): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const call = (): void => {
    resolve(undefined);
  };
  const callOff = timing.after(milliseconds, call);
  signal.addEventListener("abort", call, { once: true });
  hear(call);
  await promise;
  callOff();
  signal.removeEventListener("abort", call);
}

/** Waits for something, or until the signal aborts. What is waited for goes on. @throws what it throws first. */
export async function orAborted(something: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => {
    resolve(undefined);
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    await Promise.race([something, promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Calls again and again, so many milliseconds apart. @returns what ends it */
export function every(milliseconds: number, call: () => void, timing: Timing = realTiming): CallOff {
  let callOff = timing.after(milliseconds, tick);
  function tick(): void {
    callOff = timing.after(milliseconds, tick);
    call();
  }
  return () => {
    callOff();
  };
}

/** A signal that aborts after so many milliseconds; nothing is kept running by it, and it needs no end. */
export function timeoutSignal(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(milliseconds);
}
