import { staffTickets } from "@hostledger/core";
import { requestStaffTicket, type StaffTicketOptions } from "@hostledger/store";

/** Keys that fail, most often because of one cause. */
export interface FailingWork {
  /** Names the work in the ticket's cause, for example `payments-stripe`. */
  readonly work: string;
  /** What the work is about, for a person. */
  readonly about: string;
}

export interface WorkTicketOptions extends StaffTicketOptions {
  /** The requesting service, for example `domain-service`. */
  readonly recordedBy: string;
}

/**
 * Has staff look at work that does not get on. Safe to repeat: equal `work` has one ticket.
 * @param reason of the last failed attempt; may be a provider's words.
 */
export function requestWorkTicket(
  options: WorkTicketOptions,
  failing: FailingWork,
  reason: string,
): Promise<void> {
  return requestStaffTicket(options, staffTickets.workNotDone(failing, reason), options.recordedBy);
}

/** Has staff look at work that fails: one ticket a day (UTC), because one cause most often stops many keys. */
export function requestDailyWorkTicket(
  options: WorkTicketOptions,
  { work, about }: FailingWork,
  reason: string,
): Promise<void> {
  const today = options.clock.now().slice(0, 10);
  return requestWorkTicket(options, { work: `${work}-${today}`, about }, reason);
}
