import { createLru } from "./lru.ts";
import { realTiming, type Timing } from "./timing.ts";

/** How often something may happen for each of many. */
export interface PaceOptions {
  /** What happens for one of them is so far apart, in milliseconds, */
  readonly apartMs: number;
  /** but for so much, which may happen at once; at least 1. */
  readonly atOnce: number;
  /** The longest wait for a turn, in milliseconds. */
  readonly longestWaitMs: number;
}

/** Those that are remembered; whoever has done nothing for longest is forgotten. */
const mostKnown = 10_000;

/** Gives turns to many, each at a pace of its own: the generic cell rate algorithm (ITU-T I.371, annex A), which waits. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #timing: Timing;
  /** When all turns that were given to one are over. */
  readonly #over = createLru<string, number>(mostKnown);

  constructor(options: PaceOptions, timing: Timing = realTiming) {
    this.#options = options;
    this.#timing = timing;
  }

  /** Takes the next turn. @returns milliseconds until it; undefined, and no turn is taken, where it is too far away. */
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
