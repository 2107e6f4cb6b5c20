import { EventStoreOverloadedError, EventStoreUnavailableError } from "@hostledger/store";
import { Backoff, within } from "@hostledger/runtime/async";

import { classifyFailure } from "./client-failure.ts";

export interface AppendLimits {
  /** Maximum appends sent without an answer. */
  readonly inFlight: number;
  /** Maximum bytes of unanswered appends; a single larger append is still sent. */
  readonly inFlightBytes: number;
  /** Maximum appends waiting to be sent; another append is refused. */
  readonly waiting: number;
  /** Maximum bytes of appends waiting to be sent. */
  readonly waitingBytes: number;
  /** Milliseconds without an answer after which an append is sent again. */
  readonly answerMs: number;
  /** Milliseconds after the first sending until an append's outcome is reported as unknown. */
  readonly overallMs: number;
  /** First pause after a failure in milliseconds; each later pause is twice as long. */
  readonly firstPauseMs: number;
  /** Longest pause in milliseconds. */
  readonly longestPauseMs: number;
}

/** The properties of an append that decide about repeats and limits. */
export interface AppendTraits {
  /** False if a repeat could store the append twice (`any`, `stream-exists`). */
  readonly repeatable: boolean;
  readonly bytes: number;
}

/** Result of an attempt: the append's answer, or a temporary failure. */
type Outcome<T> = { readonly value: T } | { readonly failure: unknown };

/**
 * Runs appends with limits, a timeout and repeats. `send` must use the same ids and the same explicit revision each
 * time, because EventStoreDB then answers a repeat with the original answer.
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
   * @throws EventStoreOverloadedError if nothing was sent.
   * @throws EventStoreUnavailableError if it is unknown whether the append was stored.
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

  /** Resolves when no append is in flight or waiting. */
  drained(): Promise<void> {
    if (this.#inFlight === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** Stops sending. Each unfinished append ends as unknown when its current attempt fails. */
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
   * Sends until an attempt is answered. A late attempt is awaited beside its repeat, because a server that wakes up
   * answers the oldest request first.
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

/** Resolves with a temporary failure or with the append's answer. */
async function attempt<T>(send: () => Promise<T>, answered: PromiseWithResolvers<T>): Promise<Outcome<T>> {
  try {
    answered.resolve(await send());
  } catch (failure) {
    const kind = classifyFailure(failure);
    // An expired certificate is temporary too, because operators renew certificates while the system runs.
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
