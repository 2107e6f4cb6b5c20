import { realTiming, type Timing } from "./timing.ts";

/** `closed`: calls pass. `open`: no calls. `half-open`: one trial call. */
export type CircuitState = "closed" | "open" | "half-open";

export interface CircuitBreakerOptions {
  /** Number of different subjects without an answer before the breaker opens. */
  readonly subjects: number;
  /** Milliseconds without any answer before the breaker opens. */
  readonly silentMs: number;
  /** Milliseconds for which the breaker stays open before a trial call. */
  readonly pauseMs: number;
}

/** A permitted call. Exactly one method must be called, once. */
export interface CircuitPass {
  /** The provider answered, even with a refusal. */
  answered(): void;
  /** The provider did not answer. */
  unanswered(): void;
  /** The call was not made after all. */
  withdrawn(): void;
}

/** Stops calls to an unresponsive provider (circuit breaker, Nygard). Any answer closes the breaker. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #timing: Timing;
  /** Subjects without an answer since the last answer. */
  readonly #unanswered = new Set<string>();
  #silentSinceMs = Number.POSITIVE_INFINITY;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** Time until which the breaker is open; undefined while closed. */
  #openUntilMs: number | undefined;
  #isTrying = false;

  constructor(options: CircuitBreakerOptions, timing: Timing = realTiming) {
    this.#options = options;
    this.#timing = timing;
  }

  /** State for the next call; after the pause `half-open`. */
  get state(): CircuitState {
    if (this.#openUntilMs === undefined) return "closed";
    return this.#isTrying || this.#timing.monotonicMilliseconds() >= this.#openUntilMs ? "half-open" : "open";
  }

  /** Permits a call. @param subject its resource @param isQuestion always permitted @returns undefined if refused */
  enter(subject: string, isQuestion = false): CircuitPass | undefined {
    const madeAtMs = this.#timing.monotonicMilliseconds();
    const isTrial = !isQuestion && this.#openUntilMs !== undefined;
    if (isTrial && (this.#isTrying || this.state === "open")) return undefined;
    if (isTrial) this.#isTrying = true;
    return {
      answered: () => {
        this.#close();
      },
      unanswered: () => {
        // Another call's answer may have closed the breaker meanwhile.
        if (isTrial && this.#openUntilMs !== undefined) this.#open();
        else this.#count(subject, madeAtMs);
      },
      withdrawn: () => {
        if (isTrial) this.#isTrying = false;
      },
    };
  }

  #count(subject: string, madeAtMs: number): void {
    const { subjects, silentMs } = this.#options;
    // Calls made together time out together; an answer to any of them meanwhile proves that the provider responds.
    const unansweredSinceMs = Math.max(madeAtMs, this.#answeredAtMs);
    this.#silentSinceMs = Math.min(this.#silentSinceMs, unansweredSinceMs);
    // Stores no more subjects than needed, because many calls may fail.
    if (this.#unanswered.size < subjects) this.#unanswered.add(subject);
    const silentForMs = this.#timing.monotonicMilliseconds() - this.#silentSinceMs;
    const isSilent = this.#unanswered.size === subjects && silentForMs >= silentMs;
    if (this.#openUntilMs === undefined && isSilent) this.#open();
  }

  #open(): void {
    this.#isTrying = false;
    this.#openUntilMs = this.#timing.monotonicMilliseconds() + this.#options.pauseMs;
  }

  #close(): void {
    this.#unanswered.clear();
    this.#answeredAtMs = this.#timing.monotonicMilliseconds();
    this.#silentSinceMs = Number.POSITIVE_INFINITY;
    this.#isTrying = false;
    this.#openUntilMs = undefined;
  }
}
