import { realTiming, type CallOff, type Timing } from "./timing.ts";

/** Waits for work with a time limit, without stopping it. @param late returns the result or throws on timeout */
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

/** Waits for a callback, a time limit or an abort. @param subscribe receives the callback; repeated calls are ignored */
export async function untilCalled(
  milliseconds: number,
  signal: AbortSignal,
  subscribe: (call: () => void) => void,
  timing: Timing = realTiming,
): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const call = (): void => {
    resolve(undefined);
  };
  const callOff = timing.after(milliseconds, call);
  signal.addEventListener("abort", call, { once: true });
  subscribe(call);
  await promise;
  callOff();
  signal.removeEventListener("abort", call);
}

/** Waits for a promise or an abort. The awaited work continues. @throws the promise's error */
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

/** Calls a function repeatedly at an interval. @returns function that stops it */
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

/** Returns a signal that aborts after a time. It does not keep the process alive. */
export function timeoutSignal(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(milliseconds);
}
