import { realTiming } from "@hostledger/runtime/async";

/** How long a call may take, and what it fails with when that time is over. */
export interface TimeLimit {
  readonly limitMs: number;
  readonly reason: () => unknown;
}

/** The life of one call. */
export interface CallScope {
  /**
   * Aborts when the caller gives up, when the time is over, and when the call has ended. It is made when it is first asked for: a
   * signal and its event cost more than many a call, and few look at it.
   */
  readonly signal: AbortSignal;
  /** @throws the reason, where the caller has given up already. */
  throwIfOver(): void;
  /** The outcome of the work, or the reason of the abort, whichever comes first. One at a time. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Ends the call with that reason, which is made only then, unless it has ended. */
  interrupt(reason: () => unknown): void;
  /** Ends the scope and frees its timer and listeners; safe to repeat. */
  close(): void;
}

/** Made once, because an AbortError of the platform's own costs a stack trace for each call. */
const ended = Object.assign(new Error("the call has ended"), { name: "AbortError" });

/** Opens a scope inside the caller's, with a time limit of its own or none. */
export function openCallScope(parent: AbortSignal | undefined, limit: TimeLimit | undefined): CallScope {
  return new Call(parent, limit);
}

class Call implements CallScope {
  readonly #parent: AbortSignal | undefined;
  readonly #isInterruptible: boolean;
  readonly #callOff: (() => void) | undefined;
  readonly #onParentAbort: (() => void) | undefined;
  #controller: AbortController | undefined;
  #giveUp: ((reason: unknown) => void) | undefined;
  #interruption: { readonly reason: unknown } | undefined;
  #isClosed = false;

  constructor(parent: AbortSignal | undefined, limit: TimeLimit | undefined) {
    this.#parent = parent;
    this.#isInterruptible = parent !== undefined || limit !== undefined;
    if (limit !== undefined)
      this.#callOff = realTiming.after(limit.limitMs, () => {
        this.interrupt(limit.reason);
      });
    if (parent === undefined) return;
    this.#onParentAbort = () => {
      this.interrupt(() => parent.reason);
    };
    if (parent.aborted) this.#onParentAbort();
    else parent.addEventListener("abort", this.#onParentAbort, { once: true });
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isClosed) this.#abort(this.#controller);
    return this.#controller.signal;
  }

  throwIfOver(): void {
    if (this.#interruption !== undefined) throw this.#interruption.reason;
  }

  race<T>(work: Promise<T>): Promise<T> {
    // Nothing can interrupt this call: there is nothing to race against.
    if (!this.#isInterruptible) return work;
    // Not Promise.race, which makes three times as many promises for each call.
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      work.then(resolve, reject);
      if (this.#interruption !== undefined) this.#giveUp(this.#interruption.reason);
    });
  }

  interrupt(reasonOf: () => unknown): void {
    if (this.#isClosed) return;
    const reason = reasonOf();
    this.#interruption = { reason };
    this.#giveUp?.(reason);
    this.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
    if (this.#onParentAbort !== undefined) this.#parent?.removeEventListener("abort", this.#onParentAbort);
    if (this.#controller !== undefined) this.#abort(this.#controller);
  }

  #abort(controller: AbortController): void {
    controller.abort(this.#interruption === undefined ? ended : this.#interruption.reason);
  }
}
