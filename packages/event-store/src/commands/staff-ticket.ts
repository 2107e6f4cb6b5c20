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

/** A cause's one ticket, with its streams and its stored events. */
export const ticketCauseAggregate: Aggregate<TicketCauseCommand, TicketCauseState, TicketCauseEvent> = {
  category: "ticketcause",
  decider: ticketCause,
  codec: ticketCauseCodec,
};

/** What asking for a ticket needs. */
export interface StaffTicketOptions {
  readonly commands: Pick<CommandHandler, "execute">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Asks for a ticket that only staff see, by a fact: the support service opens it, wherever it runs. The same cause has one
 * ticket, whoever asks and however often.
 * @param recordedBy the part of the system that asks, for example `audit-service`.
 * @throws whatever the store throws, and Error when it is overloaded.
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
