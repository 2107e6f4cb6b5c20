import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost, parseLine } from "../kernel/values.ts";
import { ticketLimits, ticketPriorities, type TicketPriority } from "./ticket.events.ts";

/** Reads a title: one line of 1 to 255 characters. */
export function parseTicketTitle(text: string): Parsed<string> {
  return parseLine(text, ticketLimits.title);
}

/** Reads a message: 1 to 5,000 characters, not only blanks; tabs and line breaks are the only control characters. */
export function parseTicketMessage(text: string): Parsed<string> {
  const { message: limit } = ticketLimits;
  if (!hasAtMost(text, limit) || text.trim() === "")
    return unparsable(`must be 1 to ${String(limit)} characters long`);
  if (!text.isWellFormed() || /[^\P{Cc}\t\n\r]/u.test(text))
    return unparsable("must be well-formed text without control characters");
  return parsed(text);
}

/** Reads a priority; empty means `normal`. */
export function parseTicketPriority(text: string): Parsed<TicketPriority> {
  const found = ticketPriorities.find((priority) => priority === (text === "" ? "normal" : text));
  return found === undefined ? unparsable("must be low, normal or emergency") : parsed(found);
}
