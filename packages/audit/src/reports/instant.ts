import { parsed, unparsable, type Parsed } from "@hostledger/core";

const datePattern = /^\d{4}-\d{2}-\d{2}$/u;
const instantPattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(Z|[+-]\d{2}:\d{2})$/u;
const example = "2026-11-21 or 2026-11-21T11:03:26Z";

/** The end of a day that a date without time means. */
export type DayEdge = "first" | "last";

/** Reads an instant: ISO 8601 with `Z` or an offset, or a date, which means its first or last microsecond in UTC. */
export function parseInstant(text: string, edge: DayEdge): Parsed<string> {
  const written = datePattern.test(text)
    ? `${text}T${edge === "first" ? "00:00:00.000000" : "23:59:59.999999"}Z`
    : text;
  const match = instantPattern.exec(written);
  if (match === null) return unparsable(`must be a date or an instant, for example ${example}`);
  const [, date = "", minutes = "", seconds = "00", fraction = "", offset = ""] = match;
  const local = new Date(`${date}T${minutes}:${seconds}Z`);
  const utc = new Date(`${date}T${minutes}:${seconds}${offset}`);
  // `Date` reads an impossible date, such as 31 February, as another date.
  if (Number.isNaN(utc.getTime()) || Number.isNaN(local.getTime()) || !local.toISOString().startsWith(date))
    return unparsable(`must be a date that exists, for example ${example}`);
  const iso = utc.toISOString();
  if (iso.length !== 24) return unparsable("must be in the years 0000 to 9999");
  return parsed(`${iso.slice(0, 19)}.${fraction.padEnd(6, "0")}Z`);
}

/** Returns the next microsecond, for a period that excludes its end. */
export function nextMicrosecond(instant: string): string {
  const micros = Number(instant.slice(20, 26)) + 1;
  if (micros < 1_000_000) return `${instant.slice(0, 20)}${String(micros).padStart(6, "0")}Z`;
  return `${new Date(Date.parse(`${instant.slice(0, 19)}Z`) + 1_000).toISOString().slice(0, 19)}.000000Z`;
}

/** Returns the previous microsecond; at midnight, it is the end of the previous day. */
export function previousMicrosecond(instant: string): string {
  const micros = Number(instant.slice(20, 26)) - 1;
  if (micros >= 0) return `${instant.slice(0, 20)}${String(micros).padStart(6, "0")}Z`;
  return `${new Date(Date.parse(`${instant.slice(0, 19)}Z`) - 1_000).toISOString().slice(0, 19)}.999999Z`;
}

/** Returns `now` for the end of the present day, because the day is not over. */
export function untilNow(asOf: string, now: string): string {
  return asOf === `${now.slice(0, 10)}T23:59:59.999999Z` ? now : asOf;
}

/** Returns the error of an invalid period; undefined for a valid one. */
export function checkPeriod(period: {
  readonly from: string | undefined;
  readonly asOf: string;
  readonly now: string;
}): string | undefined {
  const { from, asOf, now } = period;
  if (asOf > now) return `${asOf} is in the future: nobody knows the events up to it yet.`;
  if (from !== undefined && from > asOf) return `The period begins at ${from}, after its end at ${asOf}.`;
  return undefined;
}
