import {
  ticketCause,
  ticketCauseCodec,
  type StaffTicket,
  type TicketCauseCommand,
  type TicketCauseEvent,
  type TicketCauseState,
} from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";

import type { Aggregate, CommandHandler } from "./command-handler.port.ts";

export const ticketCauseAggregate: Aggregate<TicketCauseCommand, TicketCauseState, TicketCauseEvent> = {
  category: "ticketcause",
  decider: ticketCause,
  codec: ticketCauseCodec,
};

export interface StaffTicketOptions {
  readonly commands: Pick<CommandHandler, "execute">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Requests a ticket for staff alone, through an event; the support service opens the ticket. A cause gets one ticket,
 * however often it is requested.
 * @param recordedBy the requesting part of the system, for example `audit-service`.
 * @throws any error of the store, and Error if it is overloaded.
 */
export async function requestStaffTicket(
  { commands, clock }: StaffTicketOptions,
  ticket: StaffTicket,
  recordedBy: string,
): Promise<void> {
  const { cause } = ticket;
  const executed = await commands.execute(
    ticketCauseAggregate,
    cause,
    { type: "RequestStaffTicket", data: { ...ticket, at: clock.now() } },
    { commandId: `${cause}/RequestStaffTicket`, correlationId: cause, actor: `process:${recordedBy}` },
  );
  if (!executed.accepted) throw new Error(executed.rejection.message);
}
