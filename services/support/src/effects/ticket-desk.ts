import { ticketAggregate, type CloseTicket, type OpenTicket, type ReplyToTicket } from "@hostledger/core";
import {
  ticketCauseAggregate,
  type CommandContext,
  type CommandHandler,
  type IdSequence,
} from "@hostledger/store";
import { requireAccepted } from "@hostledger/rpc";
import type { Clock } from "@hostledger/runtime";

/** Content of a new ticket, without its id. */
export type TicketContent = Omit<OpenTicket["data"], "ticketId" | "at">;

/** Content and author of a comment, without its id. */
export type CommentContent = Omit<ReplyToTicket["data"], "commentId" | "at">;

/** Ticket to close, and the closing person. */
export type ClosingContent = Omit<CloseTicket["data"], "at">;

/** Opens, comments on and closes tickets: one ticket per cause, however often the cause is reported. */
export interface TicketDesk {
  /**
   * @param admit called before the first events of a cause are stored; its error refuses the ticket.
   * @returns the ticket's id, and a position at which readers have it.
   * @throws ConnectError `overloaded`
   */
  open(
    content: TicketContent,
    context: Omit<CommandContext, "commandId">,
    admit?: () => Promise<void>,
  ): Promise<{ readonly ticketId: number; readonly position: bigint | undefined }>;
  /** Adds a comment, once for each reply id. A rejection (`ticket-closed`, too many comments) is returned. */
  reply(content: CommentContent, context: Omit<CommandContext, "commandId">): ReturnType<typeof replyOn>;
  /** Closes a ticket, once for each closing id. A rejection (`ticket-closed`) is returned. */
  close(content: ClosingContent, context: Omit<CommandContext, "commandId">): ReturnType<typeof closing>;
}

function replyOn(
  commands: CommandHandler,
  data: ReplyToTicket["data"],
  context: Omit<CommandContext, "commandId">,
) {
  return commands.execute(
    ticketAggregate,
    String(data.ticketId),
    { type: "ReplyToTicket", data },
    { ...context, commandId: `${data.replyId}/ReplyToTicket` },
  );
}

function closing(
  commands: CommandHandler,
  data: CloseTicket["data"],
  context: Omit<CommandContext, "commandId">,
) {
  return commands.execute(
    ticketAggregate,
    String(data.ticketId),
    { type: "CloseTicket", data },
    { ...context, commandId: `${data.closeId}/CloseTicket` },
  );
}

export function createTicketDesk({
  commands,
  clock,
  ticketIds,
  commentIds,
}: {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ticketIds: IdSequence;
  readonly commentIds: IdSequence;
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
      { ...context, commandId: `${cause}/NumberTicket` },
    );
    requireAccepted(numbered);
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
      requireAccepted(opened);
      return { ticketId, position: opened.position };
    },
    async reply(content, context) {
      const commentId = await commentIds.next();
      return replyOn(commands, { ...content, commentId, at: clock.now() }, context);
    },
    close: (content, context) => closing(commands, { ...content, at: clock.now() }, context),
  };
}
