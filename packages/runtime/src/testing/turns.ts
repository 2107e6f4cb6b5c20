import { onTestFinished } from "vitest";

/** Counts the turns of the event loop that others have from now on, until the test is over. @returns how many there were */
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
