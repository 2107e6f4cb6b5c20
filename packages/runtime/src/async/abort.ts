/** A function, since the compiler takes a property that was false before an `await` for false after it. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
