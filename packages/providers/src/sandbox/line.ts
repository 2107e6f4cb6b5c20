import type { Timing } from "@hostledger/runtime/async";

import { refused, unknown, type Outcome } from "../outcome.ts";

/** What a provider does that hears a request and never answers it. */
export const noAnswer = Symbol("no answer");

/** How a line behaves. */
export interface LineOptions {
  readonly timing: Timing;
  /** How long every call takes, there and back. */
  readonly latencyMs: number;
  /** From 0 to below 1: which share of a call's time is the way there. */
  readonly random: () => number;
  /** Lets the provider carry out what has arrived. Settles once it has written down what it says. */
  readonly carryOut: <Answer>(request: () => Answer) => Promise<Answer>;
}

/** Calls in which nobody speaks any more are kept up to this many; then the oldest is cut. */
const mostSilentCalls = 10_000;

/** The simulated line between us and an outside provider: it takes time, it can fall silent, and it can be hung up. */
export class Line {
  readonly #options: LineOptions;
  readonly #underway = new Set<() => void>();
  readonly #silent = new Set<() => void>();
  #open = true;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /**
   * Makes a call. A call that is hung up on its way there was not made.
   *
   * @param atLeastMs how long it takes where that is longer than the line's own latency.
   * @param request runs when the call arrives at the provider.
   */
  async call<Answer>(
    atLeastMs: number,
    request: () => Answer | typeof noAnswer,
  ): Promise<Answer | Outcome<never>> {
    const totalMs = Math.max(this.#options.latencyMs, atLeastMs);
    // Whole milliseconds: timers cut fractions off, and the two ways would take less than the whole.
    const thereMs = totalMs > 0 ? Math.floor(totalMs * this.#options.random()) : 0;
    if (totalMs > 0) await this.#underWay(thereMs);
    if (!this.#open) return refused("unreachable", "The sandbox is closed.");
    const back = totalMs > 0 ? this.#underWay(totalMs - thereMs) : undefined;
    const [answer] = await Promise.all([this.#options.carryOut(request), back]);
    return answer === noAnswer ? this.#silence() : answer;
  }

  /** Hangs up: what is on its way ends at once. */
  close(): void {
    this.#open = false;
    for (const end of [...this.#underway, ...this.#silent]) end();
  }

  #underWay(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        callOff();
        this.#underway.delete(end);
        resolve();
      };
      const callOff = this.#options.timing.after(milliseconds, end);
      this.#underway.add(end);
    });
  }

  #silence(): Promise<Outcome<never>> {
    const [oldest] = this.#silent;
    if (this.#silent.size >= mostSilentCalls) oldest?.();
    return new Promise((resolve) => {
      const end = (): void => {
        this.#silent.delete(end);
        resolve(unknown("The connection was closed before an answer came."));
      };
      this.#silent.add(end);
      if (!this.#open) end();
    });
  }
}
