import { type CallOff, realTiming, type Timing, timingBy } from "./async/timing.ts";

/** Clock and timers. Injected everywhere, so that tests and `HOSTLEDGER_CLOCK_OFFSET` can change the time. */
export interface Clock extends Timing {
  /** Present time as ISO 8601 UTC with six decimals (`2026-11-21T01:30:00.000123Z`), so that texts sort by time. */
  now(): string;
  /** Present time in milliseconds since 1970, without leap seconds. */
  epochMilliseconds(): number;
}

export interface ManualClock extends Clock {
  /** Advances the clock. @param milliseconds zero or more, rounded to microseconds */
  advance(milliseconds: number): void;
}

/**
 * Creates the machine's clock with an offset. Successive `now()` texts always increase, even if the machine's clock is
 * set back: the last three digits count calls within a millisecond.
 *
 * @param offsetMilliseconds added to the machine's time; may be negative.
 */
export function systemClock(offsetMilliseconds = 0): Clock {
  return { ...realTiming, ...risingInstants(() => Date.now() + offsetMilliseconds) };
}

/** Creates always increasing instants. @param epochMilliseconds source of the time, in milliseconds since 1970 */
export function risingInstants(epochMilliseconds: () => number): Pick<Clock, "now" | "epochMilliseconds"> {
  let lastMicroseconds = 0;
  const format = instantFormatter();
  return {
    epochMilliseconds,
    now() {
      lastMicroseconds = Math.max(lastMicroseconds + 1, Math.floor(epochMilliseconds() * 1_000));
      return format(lastMicroseconds);
    },
  };
}

/**
 * Creates a clock for tests, which stands still between calls of `advance`; its timers follow it.
 *
 * @param startIso ISO 8601 UTC with up to six fractional digits and `Z`.
 * @param waits replaces the clock's own timers.
 * @throws RangeError for a malformed start.
 */
export function manualClock(startIso: string, waits?: Timing): ManualClock {
  const startMicroseconds = parseInstant(startIso);
  const time = new ManualTime();
  const microseconds = (): number => startMicroseconds + Math.round(time.nowMs * 1_000);
  const format = instantFormatter();
  const ownWaits = timingBy({
    monotonicMilliseconds: () => time.nowMs,
    after: (milliseconds, call) => time.after(milliseconds, call),
  });
  return {
    ...(waits ?? ownWaits),
    now: () => format(microseconds()),
    epochMilliseconds: () => Math.floor(microseconds() / 1_000),
    advance: (milliseconds) => time.advance(milliseconds),
  };
}

/** Creates a formatter of microseconds since 1970, exact until the year 2255. Caches the text of the last second. */
function instantFormatter(): (epochMicroseconds: number) => string {
  let keptSeconds = Number.NaN;
  let keptText = "";
  return (epochMicroseconds) => {
    const seconds = Math.floor(epochMicroseconds / 1_000_000);
    if (seconds !== keptSeconds) {
      keptSeconds = seconds;
      keptText = new Date(seconds * 1_000).toISOString().slice(0, -"000Z".length);
    }
    return `${keptText}${String(epochMicroseconds - seconds * 1_000_000).padStart(6, "0")}Z`;
  };
}

function parseInstant(text: string): number {
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z$/.exec(text);
  const seconds = match === null ? Number.NaN : Date.parse(`${match[1] ?? ""}Z`);
  if (Number.isNaN(seconds)) throw new RangeError(`"${text}" is not an instant in UTC`);
  return seconds * 1_000 + Number((match?.[2] ?? "").padEnd(6, "0"));
}

const millisecondsByUnit = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

/**
 * Parses an offset such as `+51w` or `90m` (units s, m, h, d, w). @returns milliseconds; undefined if malformed or too
 * long
 */
export function parseClockOffset(text: string): number | undefined {
  // Zero needs no unit.
  if (/^[+-]?0$/.test(text)) return 0;
  const match = /^([+-]?)(\d{1,12})([smhdw])$/.exec(text);
  const unit = millisecondsByUnit.get(match?.[3] ?? "");
  if (match === null || unit === undefined) return undefined;
  const magnitude = Number(match[2]) * unit;
  if (magnitude > 5_200 * 604_800_000) return undefined;
  return match[1] === "-" && magnitude > 0 ? -magnitude : magnitude;
}

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
