import type { Timing } from "../async/timing.ts";

/** How long is waited for something, and how often it is looked at, in milliseconds of the clock that is waited by. */
export interface EventuallyOptions {
  readonly limitMs?: number;
  readonly everyMs?: number;
}

/** Looks at something until it is as expected. @throws what the last look threw, once the time is over */
export async function eventually<Result>(
  timing: Timing,
  look: () => Result | Promise<Result>,
  { limitMs = 180_000, everyMs = 100 }: EventuallyOptions = {},
): Promise<Result> {
  const endMs = timing.monotonicMilliseconds() + limitMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (timing.monotonicMilliseconds() >= endMs) throw error;
      await timing.sleep(everyMs);
    }
  }
}
