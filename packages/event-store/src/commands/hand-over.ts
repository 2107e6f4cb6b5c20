import type { Timing } from "@hostledger/runtime/async";

/** Appends in a row after which a writer rests that knows of no rival. */
const appendsInARow = 8;

/**
 * How often a writer loses to a rival at most, unless there are several: in step with it, to each append before a rest, and
 * to the rest itself, if that comes while its own turn is half over. Then the same once more, for a rest that was too short.
 */
export const mostLosses = 2 * (appendsInARow + 1);

/** How long it rests then, in durations of its last append: another writer's read and append fit in well. */
const restInAppends = 3;

/** What a rival needs for its turn, a read and an append, in durations of an append. */
const turnInAppends = 2;

/** How much of the number of rivals is remembered from one append to the next. */
const memory = 0.75;

/** The longest rest, in milliseconds: a store that froze for a while makes no writer rest as long. */
const longestRestMs = 250;

/**
 * Lets other writers of a stream have their turn. Who has just written knows the tail and is first again: a writer that
 * has to read it first would lose to a busy one for as long as that is busy. So a writer rests after an append for as many
 * turns as it lost before it, and now and then where it lost none, since a rival that never wins is never seen. What comes
 * during a rest goes into one append after it, so that little is lost by it; a stream that has pauses anyway never notices.
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

  /** Another writer was first. */
  lost(): void {
    this.#conflicts += 1;
  }

  /** An append of this writer succeeded. @param durationMs how long it took */
  appended(durationMs: number): void {
    this.#appends += 1;
    this.#rivals = Math.max(this.#conflicts, this.#rivals * memory);
    this.#conflicts = 0;
    // Never quite the same, so that two writers do not rest and rise together.
    const turns = turnInAppends * this.#rivals * (0.75 + Math.random() / 2);
    const discovery = this.#appends % appendsInARow === 0 ? restInAppends : 0;
    const restMs = Math.min(longestRestMs, durationMs * Math.max(turns, discovery));
    this.#restUntilMs = this.#timing.monotonicMilliseconds() + restMs;
  }

  /** How long to wait before the next append, in milliseconds. */
  restMs(): number {
    return Math.max(0, Math.ceil(this.#restUntilMs - this.#timing.monotonicMilliseconds()));
  }
}
