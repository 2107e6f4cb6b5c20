import type { CallOff } from "./timing.ts";

interface Appointment {
  readonly dueMs: number;
  readonly call: () => void;
}

/** Time that stands still until it is moved, and what is to happen in it, in the order in which it is due. */
export class ManualTime {
  readonly #appointments: Appointment[] = [];
  #nowMs = 0;

  /** Milliseconds since it was made. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** When something is due next; undefined while nobody waits. */
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

  /** Moves on; what becomes due is called at its own time, also what is asked for on the way. */
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
