import type { AnyResponse } from "./plain-answers.ts";

/** The response of a call: closes when the call has been answered, or cannot be any more. */
type Closing = Pick<AnyResponse, "once">;

/** The calls that a listener is answering. */
export class RunningCalls {
  readonly #running = new Set<Closing>();
  readonly #waiting: (() => void)[] = [];

  /** Counts a call until that is closed, however it ends. */
  count(call: Closing): void {
    this.#running.add(call);
    call.once("close", () => {
      this.#running.delete(call);
      if (this.#running.size > 0) return;
      for (const resume of this.#waiting.splice(0)) resume();
    });
  }

  /** Settles when none is running. */
  finished(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
