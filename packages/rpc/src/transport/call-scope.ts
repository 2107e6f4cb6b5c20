import { realTiming } from "@hostledger/runtime/async";

/** Time limit of a call, and its error after that time. */
export interface TimeLimit {
  readonly limitMs: number;
  readonly reason: () => unknown;
}

export interface CallScope {
  /** Aborts when the caller gives up, when the time is over, and when the call has ended. */
  readonly signal: AbortSignal;
  /** Returns the result of the work or the reason of the abort, whichever is first. One race at a time. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Ends the call and frees its timer and listeners; safe to repeat. */
  close(): void;
}

/** Made once, because an AbortError of the platform costs a stack trace for each call. */
const ended = Object.assign(new Error("the call has ended"), { name: "AbortError" });

/** Opens the scope of a call inside its caller's, with a time limit of its own or none. */
export function openCallScope(caller: AbortSignal | undefined, limit: TimeLimit | undefined): CallScope {
  const controller = new AbortController();
  const { signal } = controller;
  let giveUp: ((reason: unknown) => void) | undefined;
  let callOff: (() => void) | undefined;
  const end = (reason: unknown): void => {
    callOff?.();
    caller?.removeEventListener("abort", leave);
    controller.abort(reason);
    giveUp?.(reason);
  };
  const leave = (): void => {
    end(caller?.reason);
  };
  if (limit !== undefined)
    callOff = realTiming.after(limit.limitMs, () => {
      end(limit.reason());
    });
  if (caller?.aborted === true) leave();
  else caller?.addEventListener("abort", leave, { once: true });
  return {
    signal,
    race: (work) =>
      new Promise((resolve, reject) => {
        giveUp = reject;
        work.then(resolve, reject);
        if (signal.aborted) end(signal.reason);
      }),
    close: () => {
      end(ended);
    },
  };
}
