import { assertNever } from "@hostledger/core";
import type { Timing } from "@hostledger/runtime/async";

import { refused, unknown, type Outcome } from "../outcome.ts";
import type { OrderFate } from "./labels.ts";

/** Result of a request that is never answered. */
export const noAnswer = Symbol("no answer");

export interface LineOptions {
  readonly timing: Timing;
  /** Milliseconds of a call, both ways together. */
  readonly latencyMs: number;
  /** Returns the share of the latency before the request arrives, from 0 to below 1; the answer takes the remainder. */
  readonly random: () => number;
  /** Runs a request at the provider; resolves when its result is stored. */
  readonly carryOut: <Answer>(request: () => Answer) => Promise<Answer>;
}

/** Maximum unanswered calls; then the oldest is ended. */
const mostSilentCalls = 10_000;

/** A simulated connection to a provider, with latency, silence and disconnection. */
export class Line {
  readonly #options: LineOptions;
  readonly #underway = new Set<() => void>();
  readonly #silent = new Set<() => void>();
  #open = true;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Makes a call. @param atLeastMs minimum duration @param request runs when the call reaches the provider */
  async call<Answer>(
    atLeastMs: number,
    request: () => Answer | typeof noAnswer,
  ): Promise<Answer | Outcome<never>> {
    const totalMs = Math.max(this.#options.latencyMs, atLeastMs);
    // Whole milliseconds, because timers cut fractions, so both ways would take less than the total.
    const thereMs = totalMs > 0 ? Math.floor(totalMs * this.#options.random()) : 0;
    if (totalMs > 0) await this.#underWay(thereMs);
    if (!this.#open) return refused("unreachable", "The sandbox is closed.");
    const back = totalMs > 0 ? this.#underWay(totalMs - thereMs) : undefined;
    const [answer] = await Promise.all([this.#options.carryOut(request), back]);
    return answer === noAnswer ? this.#silence() : answer;
  }

  /** Closes the line; running calls end at once. */
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

/** Defines whether and how a provider carries out an order. */
interface Simulated<Answer> {
  /** @param settlesAtMs until when the outcome is unknown; 0 if known */
  readonly carryOut: (settlesAtMs: number) => Answer;
  readonly takeDownLate: () => void;
  /** Sentence of a refusal, and of an unreachable provider. */
  readonly rejected: string;
  readonly unreachable: string;
  /** Time until which an order with the limbo label stays unknown, in epoch milliseconds. */
  readonly limboUntilMs: number;
}

/** Answers an order by its simulated fate. */
export function answerByFate<Answer>(
  fate: OrderFate,
  { carryOut, takeDownLate, rejected, unreachable, limboUntilMs }: Simulated<Answer>,
): Answer | Outcome<never> | typeof noAnswer {
  switch (fate) {
    case "carried-out":
      return carryOut(0);
    case "rejected":
      return refused("rejected", rejected);
    case "unreachable":
      return refused("unreachable", unreachable);
    case "swallowed":
      return noAnswer;
    case "answer-lost":
      carryOut(0);
      return noAnswer;
    case "in-limbo":
      carryOut(limboUntilMs);
      return noAnswer;
    case "late":
      takeDownLate();
      return noAnswer;
    default:
      return assertNever(fate);
  }
}
