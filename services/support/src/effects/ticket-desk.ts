import { ticketAggregate, type OpenTicket } from "@hostledger/core";
import {
  ticketCauseAggregate,
  type CommandContext,
  type CommandHandler,
  type IdSequence,
} from "@hostledger/event-store";
import { rejectionError } from "@hostledger/rpc";
import type { Clock } from "@hostledger/runtime";

/** What a ticket is opened with, before it has an id. */
export type TicketContent = Omit<OpenTicket["data"], "ticketId" | "at">;

/** Opens tickets: one for each cause, whoever comes with it and however often. */
export interface TicketDesk {
  /**
   * @param admit asked before the first facts of a cause are stored; what it throws is thrown.
   * @returns the ticket's id, and a position at which readers have seen it. @throws ConnectError `overloaded`
   */
  open(
    content: TicketContent,
    context: Omit<CommandContext, "commandId">,
    admit?: () => Promise<void>,
  ): Promise<{ readonly ticketId: number; readonly position: bigint | undefined }>;
}

/** Creates the desk. */
export function createTicketDesk({
  commands,
  clock,
  ticketIds,
}: {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ticketIds: IdSequence;
}): TicketDesk {
  /** The id of the cause's ticket. The cause keeps the first one it is given, so that a crash after it loses nothing. */
  async function numberOf(
    cause: string,
    context: Omit<CommandContext, "commandId">,
    admit?: () => Promise<void>,
  ): Promise<number> {
    const known = await commands.load(ticketCauseAggregate, cause);
    if (known.state.status === "numbered") return known.state.ticketId;
    await admit?.();
    const ticketId = await ticketIds.next();
    const numbered = await commands.execute(
      ticketCauseAggregate,
      cause,
      { type: "NumberTicket", data: { cause, ticketId, at: clock.now() } },
      { ...context, commandId: `${cause}/NumberTicket/${String(ticketId)}` },
    );
    if (!numbered.accepted) throw rejectionError(numbered.rejection);
    if (numbered.state.status !== "numbered")
      throw new Error(`the cause ${cause} took a number but has none`);
    return numbered.state.ticketId;
  }

  return {
    async open(content, context, admit) {
      const ticketId = await numberOf(content.cause, context, admit);
      const opened = await commands.execute(
        ticketAggregate,
        String(ticketId),
        { type: "OpenTicket", data: { ...content, ticketId, at: clock.now() } },
        { ...context, commandId: `${content.cause}/OpenTicket` },
      );
      if (!opened.accepted) throw rejectionError(opened.rejection);
      return { ticketId, position: opened.position };
    },
  };
}
