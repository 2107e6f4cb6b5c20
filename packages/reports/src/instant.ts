import { parsed, unparsable, type Parsed } from "@hostledger/core";

const datePattern = /^\d{4}-\d{2}-\d{2}$/u;
const instantPattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(Z|[+-]\d{2}:\d{2})$/u;
const example = "2026-11-21 or 2026-11-21T11:03:26Z";

/** Which end of a day a date alone stands for. */
export type DayEdge = "first" | "last";

/**
 * Reads an instant as people write one, to the microsecond: ISO 8601 with `Z` or an offset, or a date alone, which is
 * the day's first or last microsecond in UTC.
 */
export function parseInstant(text: string, edge: DayEdge): Parsed<string> {
  const written = datePattern.test(text)
    ? `${text}T${edge === "first" ? "00:00:00.000000" : "23:59:59.999999"}Z`
    : text;
  const match = instantPattern.exec(written);
  if (match === null) return unparsable(`must be a date or an instant, for example ${example}`);
  const [, date = "", minutes = "", seconds = "00", fraction = "", offset = ""] = match;
  const local = new Date(`${date}T${minutes}:${seconds}Z`);
  const utc = new Date(`${date}T${minutes}:${seconds}${offset}`);
  // A day such as 31 February is rolled over silently; it reads back as another one.
  if (Number.isNaN(utc.getTime()) || Number.isNaN(local.getTime()) || !local.toISOString().startsWith(date))
    return unparsable(`must be a date that exists, for example ${example}`);
  const iso = utc.toISOString();
  if (iso.length !== 24) return unparsable("must be in the years 0000 to 9999");
  return parsed(`${iso.slice(0, 19)}.${fraction.padEnd(6, "0")}Z`);
}

/** The instant right after, for a period whose end is not part of it. */
export function nextMicrosecond(instant: string): string {
  const micros = Number(instant.slice(20, 26)) + 1;
  if (micros < 1_000_000) return `${instant.slice(0, 20)}${String(micros).padStart(6, "0")}Z`;
  return `${new Date(Date.parse(`${instant.slice(0, 19)}Z`) + 1_000).toISOString().slice(0, 19)}.000000Z`;
}

/** The instant right before, which is the last one of the day before where a period begins at midnight. */
export function previousMicrosecond(instant: string): string {
  const micros = Number(instant.slice(20, 26)) - 1;
  if (micros >= 0) return `${instant.slice(0, 20)}${String(micros).padStart(6, "0")}Z`;
  return `${new Date(Date.parse(`${instant.slice(0, 19)}Z`) - 1_000).toISOString().slice(0, 19)}.999999Z`;
}

/** The end of the present day, which is what today's date alone stands for, is now: the day is known so far. */
export function untilNow(asOf: string, now: string): string {
  return asOf === `${now.slice(0, 10)}T23:59:59.999999Z` ? now : asOf;
}

/** One sentence when there can be no answer for the period; undefined when there can. */
export function checkPeriod(period: {
  readonly from: string | undefined;
  readonly asOf: string;
  readonly now: string;
}): string | undefined {
  const { from, asOf, now } = period;
  if (asOf > now) return `${asOf} is in the future: nobody knows the facts up to it yet.`;
  if (from !== undefined && from > asOf) return `The period begins at ${from}, after its end at ${asOf}.`;
  return undefined;
}
