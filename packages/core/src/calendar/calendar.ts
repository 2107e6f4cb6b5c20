/** Calendar arithmetic in UTC. An instant is ISO 8601 text with six fractional digits and `Z`; such texts sort by time. */

import { parsed, unparsable, type Parsed } from "../kernel/result.ts";

const instantPattern = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}:\d{2})\.(\d{3})(\d{3})Z$/;
const dayMicroseconds = 86_400_000_000;

/** Adds calendar years; 29 February becomes 28 February in a common year. */
export function addYears(instant: string, years: number): string {
  return addMonths(instant, years * 12);
}

/** Adds calendar months; limits the day to the month's last day. */
export function addMonths(instant: string, months: number): string {
  return addMonthsOnDay(instant, months, dayOfMonth(instant));
}

export function dayOfMonth(instant: string): number {
  return split(instant).day;
}

/**
 * Adds calendar months and sets the anchor day, limited to the month's last day. The anchor day is never lost: a term that
 * began on 31 January ends on 28 February, then on 31 March.
 * @param anchorDay day of the month on which the term began, 1 to 31.
 */
export function addMonthsOnDay(instant: string, months: number, anchorDay: number): string {
  const { year, month, rest } = split(instant);
  const monthIndex = year * 12 + (month - 1) + months;
  const newYear = Math.floor(monthIndex / 12);
  const newMonth = (monthIndex % 12) + 1;
  const newDay = Math.min(anchorDay, daysInMonth(newYear, newMonth));
  return `${pad(newYear, 4)}-${pad(newMonth, 2)}-${pad(newDay, 2)}${rest}`;
}

export function addMilliseconds(instant: string, milliseconds: number): string {
  return laterThan(instant)(milliseconds);
}

/** Returns a function that adds milliseconds to an instant, which is parsed only once. */
export function laterThan(instant: string): (milliseconds: number) => string {
  const atMs = epochMilliseconds(instant);
  const microseconds = instant.slice(-4, -1);
  return (milliseconds) => `${new Date(atMs + milliseconds).toISOString().slice(0, -1)}${microseconds}Z`;
}

const writtenPattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}:\d{2})$/;

/** Reads an instant in RFC 3339 form, in any time zone. @returns the instant in UTC with six fractional digits. */
export function parseInstant(text: string): Parsed<string> {
  const rule = "must be a time such as 2030-01-31T12:00:00Z";
  const [, date, time, fraction = "", zone] = writtenPattern.exec(text) ?? [];
  const inUtc = Date.parse(`${String(date)}T${String(time)}Z`);
  // `Date` reads an impossible date, such as 30 February, as another date.
  if (Number.isNaN(inUtc) || !new Date(inUtc).toISOString().startsWith(String(date))) return unparsable(rule);
  const instant = new Date(Date.parse(`${String(date)}T${String(time)}${String(zone)}`));
  if (Number.isNaN(instant.getTime())) return unparsable(rule);
  const read = `${instant.toISOString().slice(0, -4)}${fraction.padEnd(6, "0")}Z`;
  return instantPattern.test(read) ? parsed(read) : unparsable(rule);
}

/** Returns the whole days between two instants, rounded down; 0 if `until` is not later. */
export function wholeDaysUntil(from: string, until: string): number {
  return Math.max(0, Math.floor((epochMicroseconds(until) - epochMicroseconds(from)) / dayMicroseconds));
}

/** Returns milliseconds since 1970-01-01T00:00:00Z, rounded down. */
export function epochMilliseconds(instant: string): number {
  return Date.parse(`${instant.slice(0, 23)}Z`);
}

/** Returns exact microseconds; they stay far below 2^53. */
function epochMicroseconds(instant: string): number {
  return epochMilliseconds(instant) * 1_000 + Number(instant.slice(23, 26));
}

function split(instant: string): { year: number; month: number; day: number; rest: string } {
  const match = instantPattern.exec(instant);
  if (match === null) throw new RangeError(`not an instant: ${instant}`);
  return { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]), rest: instant.slice(10) };
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

/** Returns the UTC day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: string): string {
  return instant.slice(0, "2026-11-22".length);
}

/** Returns true for a day that exists, written YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  );
}
