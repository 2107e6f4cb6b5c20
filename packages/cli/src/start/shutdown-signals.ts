import type { Io, ShutdownSignal } from "../io.ts";

/**
 * One keypress can arrive twice: a terminal signals every process of its foreground group, and npm passes the signal
 * on to its child besides. Within this many milliseconds a repeated signal counts as the same one.
 */
const echoMilliseconds = 250;

/** What a shell shows for a process ended by a signal: 128 and the signal's number. */
const exitCodeBySignal: Readonly<Record<ShutdownSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Listens for shutdown signals until the process ends: the first is a wish, which the caller fulfils; a later one ends
 * the process at once. Nothing stops the listening, for an echo that comes after the last step must not kill the process
 * in the place of its exit code.
 * @param limitMs when the process has not ended so long after the first signal, it is ended as if by another one.
 * @returns settles at the first signal.
 */
export function firstShutdownSignal(io: Io, limitMs: number): Promise<ShutdownSignal> {
  const { promise, resolve } = Promise.withResolvers<ShutdownSignal>();
  let requestedAt: number | undefined;
  io.onSignal((signal) => {
    const now = io.timing.monotonicMilliseconds();
    if (requestedAt === undefined) {
      requestedAt = now;
      io.timing.after(limitMs, () => {
        io.exitNow(exitCodeBySignal[signal]);
      });
      resolve(signal);
    } else if (now - requestedAt > echoMilliseconds) {
      io.exitNow(exitCodeBySignal[signal]);
    }
  });
  return promise;
}
