import { EventStoreOverloadedError, EventStoreUnavailableError } from "@hostledger/store";
import { Backoff, within } from "@hostledger/runtime/async";

import { classifyFailure } from "./client-failure.ts";

/** Bounds of the appends of one connection. */
export interface AppendLimits {
  /** Appends that may be at the server at once. */
  readonly inFlight: number;
  /** Bytes of the appends that may be at the server at once; one append may always be. */
  readonly inFlightBytes: number;
  /** Appends that may wait to be sent; one more is refused. */
  readonly waiting: number;
  /** Bytes of the appends that may wait to be sent. */
  readonly waitingBytes: number;
  /** Milliseconds after which an answer is not waited for any longer: the append is sent again. */
  readonly answerMs: number;
  /** Milliseconds from when it is sent until an append's outcome is reported as unknown. */
  readonly overallMs: number;
  /** Milliseconds of the first pause after a failure; each next one is twice as long. */
  readonly firstPauseMs: number;
  /** Milliseconds of the longest pause. */
  readonly longestPauseMs: number;
}

/** What the runner has to know of an append. */
export interface AppendTraits {
  /** False when a repeat could store it twice (`any`, `stream-exists`). */
  readonly repeatable: boolean;
  readonly bytes: number;
}

/** An attempt's end: the append's answer, or a failure that passes by itself. */
type Outcome<T> = { readonly value: T } | { readonly failure: unknown };

/**
 * Runs appends with a bound, a timer and repeats. `send` has to send the same ids at the same explicit revision each
 * time: EventStoreDB then answers a repeat with the original's answer.
 */
export class AppendRunner {
  readonly #limits: AppendLimits;
  readonly #waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  #waitingBytes = 0;
  #inFlight = 0;
  #inFlightBytes = 0;
  #idle: (() => void)[] = [];
  #abandoned = false;

  constructor(limits: AppendLimits) {
    this.#limits = limits;
  }

  /**
   * @throws EventStoreOverloadedError nothing was sent.
   * @throws EventStoreUnavailableError not known whether it was stored.
   */
  async run<T>(send: () => Promise<T>, { repeatable, bytes }: AppendTraits): Promise<T> {
    await this.#admitted(bytes);
    try {
      return await this.#sendUntilAnswered(send, repeatable);
    } finally {
      this.#inFlight -= 1;
      this.#inFlightBytes -= bytes;
      this.#startWaiting();
    }
  }

  /** Resolves when no append is under way or waiting. */
  drained(): Promise<void> {
    if (this.#inFlight === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** Nothing is sent any more: what is under way or waits ends as unknown as soon as its present attempt fails. */
  abandon(): void {
    this.#abandoned = true;
  }

  async #admitted(bytes: number): Promise<void> {
    const { waiting, waitingBytes } = this.#limits;
    if (this.#waiting.length === 0 && this.#hasRoom(bytes)) {
      this.#enter(bytes);
      return;
    }
    if (this.#waiting.length >= waiting || this.#waitingBytes + bytes > waitingBytes) {
      throw new EventStoreOverloadedError(
        `${String(this.#inFlight)} appends are in flight and ${String(this.#waiting.length)} wait; try again later`,
      );
    }
    this.#waitingBytes += bytes;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ bytes, start: resolve });
    });
  }

  #hasRoom(bytes: number): boolean {
    const { inFlight, inFlightBytes } = this.#limits;
    if (this.#inFlight >= inFlight) return false;
    return this.#inFlight === 0 || this.#inFlightBytes + bytes <= inFlightBytes;
  }

  #enter(bytes: number): void {
    this.#inFlight += 1;
    this.#inFlightBytes += bytes;
  }

  #startWaiting(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || !this.#hasRoom(next.bytes)) break;
      this.#waiting.shift();
      this.#waitingBytes -= next.bytes;
      this.#enter(next.bytes);
      next.start();
    }
    if (this.#inFlight > 0) return;
    for (const wake of this.#idle.splice(0)) wake();
  }

  /**
   * Sends until one of the attempts is answered. An attempt that is only late stays awaited beside its repeat: a frozen
   * server answers the oldest first when it wakes.
   */
  async #sendUntilAnswered<T>(send: () => Promise<T>, repeatable: boolean): Promise<T> {
    const { answerMs, firstPauseMs, longestPauseMs, overallMs } = this.#limits;
    const backoff = new Backoff({ firstMs: firstPauseMs, longestMs: longestPauseMs, overallMs });
    const answered = Promise.withResolvers<T>();
    const answer: Promise<Outcome<T>> = answered.promise.then((value) => ({ value }));
    answer.catch(() => undefined);
    for (;;) {
      if (this.#abandoned) throw unknownOutcome(new Error("the event store was closed"));
      const outcome = await within(
        answerMs,
        Promise.race([answer, attempt(send, answered)]),
        () => undefined,
      );
      if (outcome !== undefined && "value" in outcome) return outcome.value;
      const known = outcome !== undefined && classifyFailure(outcome.failure) === "not-ready";
      if (backoff.isOver || !(repeatable || known)) throw unknownOutcome(outcome?.failure);
      if (outcome === undefined) continue;
      const late = await within(backoff.next(), answer, () => undefined);
      if (late !== undefined && "value" in late) return late.value;
    }
  }
}

/** Resolves with a failure that passes by itself; anything else is the append's answer. */
async function attempt<T>(send: () => Promise<T>, answered: PromiseWithResolvers<T>): Promise<Outcome<T>> {
  try {
    answered.resolve(await send());
  } catch (failure) {
    const kind = classifyFailure(failure);
    // A certificate that expired is renewed while the system runs: it passes too.
    if (kind === "not-ready" || kind === "unknown-outcome" || kind === "certificate") return { failure };
    answered.reject(failure);
  }
  return Promise.withResolvers<never>().promise;
}

function unknownOutcome(failure: unknown): EventStoreUnavailableError {
  const why = failure instanceof Error ? failure.message : "no answer";
  return new EventStoreUnavailableError(`EventStoreDB did not answer; the append may be stored (${why})`, {
    cause: failure,
  });
}
