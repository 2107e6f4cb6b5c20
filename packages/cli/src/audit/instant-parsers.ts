import { parseInstant, type DayEdge } from "@hostledger/reports";
import { InvalidArgumentError } from "commander";

/** Reads the beginning of a period; a date alone is its first microsecond. @throws InvalidArgumentError */
export function parseFrom(text: string): string {
  return instantOf(text, "first");
}

/** Reads the end of a period, which is part of it; a date alone is its last microsecond. @throws InvalidArgumentError */
export function parseUntil(text: string): string {
  return instantOf(text, "last");
}

function instantOf(text: string, edge: DayEdge): string {
  const instant = parseInstant(text, edge);
  if (!instant.ok) throw new InvalidArgumentError(`It ${instant.error}.`);
  return instant.value;
}
