import { onTestFinished } from "vitest";

/** Counts the event loop's turns until the end of the test. @returns the count so far */
export function turns(): () => number {
  let count = 0;
  const again = (): void => {
    count += 1;
    next = setImmediate(again);
  };
  let next = setImmediate(again);
  onTestFinished(() => {
    clearImmediate(next);
  });
  return () => count;
}
