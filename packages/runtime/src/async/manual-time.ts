import type { CallOff } from "./timing.ts";

interface Appointment {
  readonly dueMs: number;
  readonly call: () => void;
}

/** Manual time with timers, called in order of their due time. */
export class ManualTime {
  readonly #appointments: Appointment[] = [];
  #nowMs = 0;

  /** Milliseconds since creation. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Due time of the next timer; undefined if none. */
  get nextDueMs(): number | undefined {
    return this.#appointments[0]?.dueMs;
  }

  after(milliseconds: number, call: () => void): CallOff {
    const appointment = { dueMs: this.#nowMs + Math.max(0, milliseconds), call };
    const before = this.#appointments.findLastIndex(({ dueMs }) => dueMs <= appointment.dueMs);
    this.#appointments.splice(before + 1, 0, appointment);
    return () => {
      const place = this.#appointments.indexOf(appointment);
      if (place !== -1) this.#appointments.splice(place, 1);
    };
  }

  /** Advances the time and calls each due timer at its own time, including timers set meanwhile. */
  advance(milliseconds: number): void {
    if (!(milliseconds >= 0)) throw new RangeError("a clock goes forwards only");
    const untilMs = this.#nowMs + milliseconds;
    for (let next = this.#appointments[0]; next !== undefined; next = this.#appointments[0]) {
      if (next.dueMs > untilMs) break;
      this.#appointments.shift();
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.call();
    }
    this.#nowMs = untilMs;
  }
}
