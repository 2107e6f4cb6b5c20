import { addMilliseconds, epochMilliseconds } from "@hostledger/core";
import { type CallOff, type Clock, systemClock } from "@hostledger/runtime";

/** A clock that runs and that a spec can move forwards. */
export class FixtureClock implements Clock {
  readonly #clock: Clock;
  #movedMs = 0;

  constructor(start: string) {
    this.#clock = systemClock(epochMilliseconds(start) - Date.now());
  }

  now(): string {
    return addMilliseconds(this.#clock.now(), this.#movedMs);
  }

  epochMilliseconds(): number {
    return this.#clock.epochMilliseconds() + this.#movedMs;
  }

  monotonicMilliseconds(): number {
    return this.#clock.monotonicMilliseconds();
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(milliseconds, signal);
  }

  after(milliseconds: number, call: () => void): CallOff {
    return this.#clock.after(milliseconds, call);
  }

  /** Moves to a later instant; a part of a millisecond is rounded up, so that the instant has passed. */
  moveTo(instant: string): void {
    const isWhole = instant.endsWith("000Z");
    this.#movedMs += epochMilliseconds(instant) + (isWhole ? 0 : 1) - this.epochMilliseconds();
  }
}
