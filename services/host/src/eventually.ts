import { setTimeout as delay } from "node:timers/promises";

const pauseMs = 500;

/** Tries again until it succeeds, for so many milliseconds. @throws what the last attempt threw. */
export async function eventually<Result>(
  attempt: () => Promise<Result>,
  patienceMs: number,
): Promise<Result> {
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() + pauseMs >= endsAt) throw error;
      await delay(pauseMs);
    }
  }
}
