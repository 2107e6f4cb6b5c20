import type { Timing } from "../async/timing.ts";

/** Time limit and interval in milliseconds of the clock used. */
export interface EventuallyOptions {
  readonly limitMs?: number;
  readonly everyMs?: number;
}

/** Retries a check until it succeeds. @throws the last check's error on timeout */
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
