import { parseInstant, type DayEdge } from "@hostledger/audit/reports";
import { InvalidArgumentError } from "commander";

import { wrongUsage } from "../exit-code.ts";

/** Parses the start of a period; a date means its first microsecond. @throws InvalidArgumentError */
export function parseFrom(text: string): string {
  return instantOf(text, "first");
}

/** Parses the inclusive end of a period; a date means its last microsecond. @throws InvalidArgumentError */
export function parseUntil(text: string): string {
  return instantOf(text, "last");
}

/** @throws CommandFailure (2) if a period ends before it begins. @param end option with the period's end */
export function refuseReversed(from: string | undefined, to: string | undefined, end: string): void {
  if (from !== undefined && to !== undefined && from.slice(0, to.length) > to)
    throw wrongUsage(
      `--from is after ${end} (${from} after ${to}): name an earlier --from, or a later ${end}.`,
    );
}

/** Parses a day, YYYY-MM-DD. @throws InvalidArgumentError */
export function parseDay(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text))
    throw new InvalidArgumentError("It must be a date, for example 2026-01-31.");
  return instantOf(text, "first").slice(0, 10);
}

/** Parses an end of a period of bookings: a date stays a date. @throws InvalidArgumentError */
export function parseDayOrInstant(text: string): string {
  return /T/u.test(text) ? instantOf(text, "first") : parseDay(text);
}

function instantOf(text: string, edge: DayEdge): string {
  const instant = parseInstant(text, edge);
  if (!instant.ok) throw new InvalidArgumentError(`It ${instant.error}.`);
  return instant.value;
}
