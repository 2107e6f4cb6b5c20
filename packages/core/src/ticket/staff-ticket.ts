import { asLine } from "../kernel/values.ts";
import type { RequestStaffTicket } from "./ticket.commands.ts";
import { ticketLimits, type TicketPriority } from "./ticket.events.ts";

/** Content of a ticket for staff. A cause has at most one ticket. */
export type StaffTicket = Omit<RequestStaffTicket["data"], "at">;

/** Returns text of a provider for a ticket: one line, at most 1,000 characters. */
export const providerWords = (words: string): string => asLine(words, 1_000, "no reason was given");

/** Makes a ticket. Truncates title and message, because they contain text from outside and must fit a ticket. */
export function ticket(
  priority: TicketPriority,
  { cause, title, message }: Readonly<Record<"cause" | "title" | "message", string>>,
): StaffTicket {
  const { title: longestTitle, message: longestMessage } = ticketLimits;
  return { cause, title: title.slice(0, longestTitle), message: message.slice(0, longestMessage), priority };
}
