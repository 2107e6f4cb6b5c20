import type { Position } from "@hostledger/store";
import { realTiming, untilCalled, type CallOff, type Timing } from "@hostledger/runtime/async";

import { beforeFirst } from "./position.ts";

interface Waiter {
  readonly position: Position;
  readonly isUrgent: boolean;
  readonly callOff: CallOff;
  readonly resolve: (reached: boolean) => void;
}

/** Callers that wait until a position is reached. The commit that reaches it wakes them, without polling. */
export class PositionWaiters {
  #reached: Position = beforeFirst;
  /** Sorted by position. Commands finish in log order, so a new waiter nearly always goes to the end. */
  readonly #waiters: Waiter[] = [];
  #onAwaited: (() => void) | undefined;
  /** True if a caller waits in another process and no pause has ended for it. */
  #isAwaitedElsewhere = false;

  /** True while a caller waits in this process, which ends a pause. */
  get isAwaited(): boolean {
    return this.#waiters.some(({ isUrgent }) => isUrgent);
  }

  /**
   * Resolves with true when `position` is reached, with false after `timeoutMs`.
   * @param isUrgent false if the caller accepts the projector's pause.
   */
  wait(position: Position, timeoutMs: number, isUrgent = true): Promise<boolean> {
    if (position <= this.#reached) return Promise.resolve(true);
    return new Promise((resolve) => {
      const callOff = realTiming.after(timeoutMs, () => {
        const index = this.#waiters.indexOf(waiter);
        if (index !== -1) this.#waiters.splice(index, 1);
        resolve(false);
      });
      const waiter: Waiter = { position, isUrgent, callOff, resolve };
      const before = this.#waiters.findLastIndex((other) => other.position <= position);
      this.#waiters.splice(before + 1, 0, waiter);
      if (isUrgent) this.#onAwaited?.();
    });
  }

  /** Resolves when a caller waits in any process, after `limitMs`, or when the signal aborts. */
  async untilAwaited(limitMs: number, signal: AbortSignal, timing: Timing = realTiming): Promise<void> {
    if (!this.isAwaited && !this.#isAwaitedElsewhere)
      await untilCalled(
        limitMs,
        signal,
        (call) => {
          this.#onAwaited = call;
        },
        timing,
      );
    this.#onAwaited = undefined;
    this.#isAwaitedElsewhere = false;
  }

  /** Notes that a caller waits in another process. */
  awaitElsewhere(): void {
    this.#isAwaitedElsewhere = true;
    this.#onAwaited?.();
  }

  /** Wakes all callers that wait for `position` or an earlier one. */
  reach(position: Position): void {
    this.#reached = position;
    let count = 0;
    for (const waiter of this.#waiters) {
      if (waiter.position > position) break;
      waiter.callOff();
      waiter.resolve(true);
      count++;
    }
    this.#waiters.splice(0, count);
  }
}
