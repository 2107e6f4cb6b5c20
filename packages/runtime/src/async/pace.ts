import { createLru } from "./lru.ts";
import { realTiming, type Timing } from "./timing.ts";

export interface PaceOptions {
  /** Milliseconds between turns of one caller. */
  readonly apartMs: number;
  /** Turns that a caller may take at once; at least 1. */
  readonly atOnce: number;
  /** Maximum wait for a turn, in milliseconds. */
  readonly longestWaitMs: number;
}

/** Maximum callers tracked; the least recently active is evicted. */
const mostKnown = 10_000;

/** Limits the rate of many callers by making them wait: generic cell rate algorithm (ITU-T I.371, annex A). */
export class Pace {
  readonly #options: PaceOptions;
  readonly #timing: Timing;
  /** Time at which all turns of a caller are used up. */
  readonly #over = createLru<string, number>(mostKnown);

  constructor(options: PaceOptions, timing: Timing = realTiming) {
    this.#options = options;
    this.#timing = timing;
  }

  /** Takes a caller's next turn. @returns milliseconds until then; undefined, without a turn, above the maximum */
  turn(whose: string): number | undefined {
    const { apartMs, atOnce, longestWaitMs } = this.#options;
    const nowMs = this.#timing.monotonicMilliseconds();
    const overMs = Math.max(nowMs, this.#over.get(whose) ?? nowMs) + apartMs;
    const waitMs = Math.max(0, overMs - nowMs - atOnce * apartMs);
    if (waitMs > longestWaitMs) return undefined;
    this.#over.set(whose, overMs);
    return waitMs;
  }
}
