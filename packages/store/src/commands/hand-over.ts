import type { Timing } from "@hostledger/runtime/async";

/** Appends in a row after which a writer without a known rival pauses. */
const appendsInARow = 8;

/**
 * Maximum losses against one rival in step: each append before a pause, plus the pause itself if it falls into the
 * rival's turn. Doubled for a pause that was too short.
 */
export const mostLosses = 2 * (appendsInARow + 1);

/** Length of that pause, in durations of the last append, so that a rival's read and append fit in. */
const restInAppends = 3;

/** A rival's turn (a read and an append), in durations of an append. */
const turnInAppends = 2;

/** Share of the estimated number of rivals that carries over to the next append. */
const memory = 0.75;

/** Longest pause in milliseconds, so that a store that froze does not cause equally long pauses. */
const longestRestMs = 250;

/**
 * Makes a writer pause so that other writers of its stream get a turn. The last writer knows the tail and would always be
 * first, while a rival must read first. So a writer pauses after an append for as many turns as it had lost before. It
 * also pauses now and then without a loss, because a rival that never wins stays invisible. Commands that arrive during a
 * pause share one append, so little time is lost.
 */
export class HandOver {
  readonly #timing: Timing;
  #appends = 0;
  #conflicts = 0;
  #rivals = 0;
  #restUntilMs = 0;

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** Notes that another writer was first. */
  lost(): void {
    this.#conflicts += 1;
  }

  /** Notes a successful append of this writer. @param durationMs duration of the append */
  appended(durationMs: number): void {
    this.#appends += 1;
    this.#rivals = Math.max(this.#conflicts, this.#rivals * memory);
    this.#conflicts = 0;
    // Random, so that two writers do not pause and continue in step.
    const turns = turnInAppends * this.#rivals * (0.75 + Math.random() / 2);
    const discovery = this.#appends % appendsInARow === 0 ? restInAppends : 0;
    const restMs = Math.min(longestRestMs, durationMs * Math.max(turns, discovery));
    this.#restUntilMs = this.#timing.monotonicMilliseconds() + restMs;
  }

  /** Time to wait before the next append, in milliseconds. */
  restMs(): number {
    return Math.max(0, Math.ceil(this.#restUntilMs - this.#timing.monotonicMilliseconds()));
  }
}
