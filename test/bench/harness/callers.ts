import type { SamplePace } from "./settings.ts";

/** Calls of one sample: a bound for machines that are faster than anyone thought. */
const callLimit = 5_000_000;

/**
 * Calls as fast as answers arrive, one call at a time per caller, and counts the answers within the sample, after
 * the warm-up. A sample without answers continues until one arrives.
 * @param call makes one call; `caller` counts from 0, `number` counts the calls of all callers.
 * @returns calls per second.
 */
export async function callsPerSecond(
  callers: number,
  { warmUpMs, sampleMs }: SamplePace,
  call: (caller: number, number: number) => Promise<unknown>,
): Promise<number> {
  const startMs = performance.now() + warmUpMs;
  let endMs = startMs + sampleMs;
  let started = 0;
  let counted = 0;
  async function run(caller: number): Promise<void> {
    for (let nowMs = performance.now(); nowMs < endMs || counted === 0;) {
      if (started === callLimit) return;
      started += 1;
      await call(caller, started);
      nowMs = performance.now();
      if (counted === 0) endMs = Math.max(endMs, nowMs);
      if (nowMs >= startMs && nowMs <= endMs) counted += 1;
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => run(caller)));
  return (counted * 1_000) / (endMs - startMs);
}
