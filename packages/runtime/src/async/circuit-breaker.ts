import { realTiming, type Timing } from "./timing.ts";

/** Calls pass; nothing is called; one call finds out whether calls may pass again. */
export type CircuitState = "closed" | "open" | "half-open";

/** When a breaker opens, and for how long. */
export interface CircuitBreakerOptions {
  /** So many different subjects got no answer, and nobody got one in between: one subject's trouble is its own. */
  readonly subjects: number;
  /** And nobody has got one for so long, counted from when the first of those calls was made, or from the last answer since. */
  readonly silentMs: number;
  /** How long nothing is called before one call finds out. */
  readonly pauseMs: number;
}

/** A call that was let pass. One of the three is told, once. */
export interface CircuitPass {
  /** The other side said something, be it no. */
  answered(): void;
  /** It did not. */
  unanswered(): void;
  /** The call was not made after all. */
  withdrawn(): void;
}

/**
 * Keeps calls from another side that answers nobody (a circuit breaker, Nygard): they fail at once instead of after their
 * time limit. Any answer closes it.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #timing: Timing;
  /** Who got no answer since the last one came. */
  readonly #unanswered = new Set<string>();
  #silentSinceMs = Number.POSITIVE_INFINITY;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** Until when nothing is called; undefined while closed. */
  #openUntilMs: number | undefined;
  #isTrying = false;

  constructor(options: CircuitBreakerOptions, timing: Timing = realTiming) {
    this.#options = options;
    this.#timing = timing;
  }

  /** What would become of a call now. A pause that is over is no longer open. */
  get state(): CircuitState {
    if (this.#openUntilMs === undefined) return "closed";
    return this.#isTrying || this.#timing.monotonicMilliseconds() >= this.#openUntilMs ? "half-open" : "open";
  }

  /**
   * Lets a call pass, or not.
   *
   * @param subject whom or what the call is about.
   * @param isQuestion passes always: it changes nothing, and who asks has to know.
   * @returns undefined where the call is not to be made.
   */
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
        // Somebody else's answer may have closed it meanwhile.
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
    // Calls made together run out together: whoever was answered meanwhile shows that it is theirs alone.
    const unansweredSinceMs = Math.max(madeAtMs, this.#answeredAtMs);
    this.#silentSinceMs = Math.min(this.#silentSinceMs, unansweredSinceMs);
    // No more than it takes: whoever is silent is asked about very many.
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
