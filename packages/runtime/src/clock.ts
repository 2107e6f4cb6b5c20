import { ManualTime } from "./async/manual-time.ts";
import { realTiming, timingBy, type Timing } from "./async/timing.ts";

/**
 * Where time comes from, and how it is waited for. Injected everywhere, so that tests and `HOSTLEDGER_CLOCK_OFFSET` can
 * move it.
 */
export interface Clock extends Timing {
  /**
   * The present as ISO 8601 UTC with six fractional digits, for example `2026-11-21T01:30:00.000123Z`. Always in this
   * one form, so that comparing texts compares times.
   */
  now(): string;
  /** The present in milliseconds since 1970, without leap seconds. */
  epochMilliseconds(): number;
}

/** A clock that stands still until it is told to move. */
export interface ManualClock extends Clock {
  /** Moves the clock forwards. @param milliseconds zero or more; fractions count down to the microsecond. */
  advance(milliseconds: number): void;
}

/**
 * The machine's clock, moved by an offset. Two calls of one clock's `now()` never give the same text, and the later
 * call gives the greater one, even when the machine's clock is set back: the last three digits count the calls within
 * a millisecond.
 *
 * @param offsetMilliseconds added to the machine's time; may be negative.
 */
export function systemClock(offsetMilliseconds = 0): Clock {
  return { ...realTiming, ...risingInstants(() => Date.now() + offsetMilliseconds) };
}

/**
 * Instants of which the later one is the greater one, as `systemClock` gives them.
 *
 * @param epochMilliseconds where the time comes from, in milliseconds since 1970.
 */
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
 * A clock for tests. It stands still between calls of `advance`, and whoever waits by it waits for that.
 *
 * @param startIso ISO 8601 UTC with up to six fractional digits and `Z`.
 * @param waits how it is waited for, where that is not to be the clock's own time.
 * @throws RangeError when the start is not such an instant.
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

/**
 * Writes microseconds since 1970, which a number holds exactly until the year 2255. Most calls fall into the same
 * second as the one before, so that part of the text is kept.
 */
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
 * Reads a distance in time such as `+51w`, `-3d` or `90m` (units s, m, h, d, w), or `0`.
 *
 * @returns milliseconds, or undefined when the text is not such a distance or is longer than 5,200 weeks, a limit that
 * keeps every time inside four-digit years.
 */
export function parseClockOffset(text: string): number | undefined {
  // No time at all needs no unit.
  if (/^[+-]?0$/.test(text)) return 0;
  const match = /^([+-]?)(\d{1,12})([smhdw])$/.exec(text);
  const unit = millisecondsByUnit.get(match?.[3] ?? "");
  if (match === null || unit === undefined) return undefined;
  const magnitude = Number(match[2]) * unit;
  if (magnitude > 5_200 * 604_800_000) return undefined;
  return match[1] === "-" && magnitude > 0 ? -magnitude : magnitude;
}
