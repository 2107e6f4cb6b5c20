import { realTiming } from "@hostledger/runtime/async";

/** How long a call may take, and what it fails with when that time is over. */
export interface TimeLimit {
  readonly limitMs: number;
  readonly reason: () => unknown;
}

/** The life of one call. */
export interface CallScope {
  /** Aborts when the caller gives up, when the time is over, and when the call has ended. */
  readonly signal: AbortSignal;
  /** The outcome of the work, or the reason of the abort, whichever comes first. One at a time. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Ends the scope and frees its timer and listeners; safe to repeat. */
  close(): void;
}

/** Made once, because an AbortError of the platform's own costs a stack trace for each call. */
const ended = Object.assign(new Error("the call has ended"), { name: "AbortError" });

/** Opens a scope inside the caller's, with a time limit of its own or none. */
export function openCallScope(parent: AbortSignal | undefined, limit: TimeLimit | undefined): CallScope {
  const controller = new AbortController();
  const { signal } = controller;
  if (parent === undefined && limit === undefined) {
    // Nothing can interrupt this call: there is nothing to race against.
    return { signal, race: (work) => work, close: () => { controller.abort(ended); } }; // prettier-ignore
  }
  let giveUp: ((reason: unknown) => void) | undefined;
  let interruption: { readonly reason: unknown } | undefined;
  const callOff = limit === undefined ? undefined : realTiming.after(limit.limitMs, onTimeout);

  function interrupt(reason: unknown): void {
    interruption = { reason };
    controller.abort(reason);
    giveUp?.(reason);
    close();
  }
  function onTimeout(): void {
    interrupt(limit?.reason());
  }
  function onParentAbort(): void {
    interrupt(parent?.reason);
  }
  function close(): void {
    callOff?.();
    parent?.removeEventListener("abort", onParentAbort);
    controller.abort(ended);
  }

  if (parent?.aborted === true) onParentAbort();
  else parent?.addEventListener("abort", onParentAbort, { once: true });
  // Not Promise.race, which makes three times as many promises for each call.
  function race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      giveUp = reject;
      work.then(resolve, reject);
      if (interruption !== undefined) giveUp(interruption.reason);
    });
  }

  return { signal, race, close };
}
