import {
  ticketAggregate,
  parseId,
  parseTicketMessage,
  parseTicketPriority,
  parseTicketTitle,
  rejection,
  ticketBytes,
  type TicketClosed,
} from "@hostledger/core";
import { refusalOf, unusedId } from "@hostledger/store";
import {
  foundRow,
  rejectionError,
  requestContextOf,
  requireAccount,
  useQuota,
  validated,
  requireAccepted,
  type WithContextValues,
} from "@hostledger/rpc";

import { causeOfRequest } from "../reads/ticket-causes.ts";
import type { SupportDependencies } from "../dependencies.ts";
import type { CommentRow } from "../reads/support.queries.ts";
import type { TicketRow } from "../reads/support.tables.ts";

/** Operations on tickets shared by customers and staff; handlers check permissions. */

/** Finds a ticket. @throws ConnectError `not-found` */
export async function findTicket({ queries }: SupportDependencies, ticketId: bigint): Promise<TicketRow> {
  return foundRow("ticket", ticketId, (id) => queries.ticketById(id));
}

/** Returns the ticket after a command; from its events if the read model does not catch up in time. */
async function ticketAfter(
  { readAfter }: Pick<SupportDependencies, "readAfter">,
  done: { readonly position?: bigint | undefined },
  ticketId: number,
): Promise<TicketRow> {
  const row = await readAfter(done, streamOf(ticketId), (queries) => queries.ticketById(ticketId));
  if (row === undefined) throw new Error(`the ticket ${String(ticketId)} was changed and is not there`);
  return row;
}

function streamOf(ticketId: number): string {
  return `ticket-${String(ticketId)}`;
}

/** Finds an account. @throws ConnectError `not-found` */
export async function findCustomer(dependencies: SupportDependencies, accountId: bigint): Promise<number> {
  const { projector, queries } = dependencies;
  const find = async (id: number) =>
    (await queries.customerById(id)) ??
    (await projector.after({ stream: `account-${String(id)}` }).then(() => queries.customerById(id)));
  return (await foundRow("account", accountId, find)).id;
}

export interface OpenRequest {
  readonly title: string;
  readonly message: string;
  readonly priority: string;
  readonly serverId?: bigint | undefined;
}

/** Opens a ticket of the calling account within its quotas. @throws ConnectError like `openTicket`, or `quota-exceeded` */
export async function openOwnTicket(
  dependencies: SupportDependencies,
  request: OpenRequest,
  context: WithContextValues,
): Promise<TicketRow> {
  const { accountId } = requireAccount(context);
  const { quotas, queries } = dependencies;
  let leave = (): void => undefined;
  try {
    return await openTicket(dependencies, accountId, request, context, async (textBytes) => {
      const entry = await quotas.enter(accountId, "open_tickets", () => queries.openTicketCount(accountId));
      if (!entry.entered) throw rejectionError(entry.rejection);
      ({ leave } = entry);
      await useQuota(quotas, "ticket_bytes_a_day", ticketBytes(textBytes), context);
    });
  } finally {
    leave();
  }
}

/**
 * Opens a ticket of an account; a repeated operation returns the same ticket.
 * @param admit called before a new ticket is stored, with the size of its texts in bytes of UTF-8.
 * @throws ConnectError `validation-failed`; `unauthorized` for a server of another account.
 */
export async function openTicket(
  dependencies: SupportDependencies,
  accountId: number,
  request: OpenRequest,
  context: WithContextValues,
  admit?: (textBytes: number) => Promise<void>,
): Promise<TicketRow> {
  const { title, message, priority } = validated({
    title: parseTicketTitle(request.title),
    message: parseTicketMessage(request.message),
    priority: parseTicketPriority(request.priority),
  });
  const serverId = await serverOf(dependencies, accountId, request.serverId);
  const { operationId, ...origin } = requestContextOf(context);
  const cause = causeOfRequest(operationId);
  const content = { accountId, title, message, priority, serverId, cause };
  const { ticketId, position } = await dependencies.desk.open(content, origin, () =>
    Promise.resolve(admit?.(Buffer.byteLength(title) + Buffer.byteLength(message))),
  );
  return ticketAfter(dependencies, { position }, ticketId);
}

async function serverOf(
  dependencies: SupportDependencies,
  accountId: number,
  serverId: bigint | undefined,
): Promise<number | null> {
  if (serverId === undefined) return null;
  const id = parseId(serverId);
  const findOwner = () => (id.ok ? dependencies.queries.ownerOfServer(id.value) : undefined);
  let owner = await findOwner();
  if (id.ok && owner === undefined)
    owner = await dependencies.projector.after({ stream: `server-${String(id.value)}` }).then(findOwner);
  if (!id.ok || owner === undefined) {
    const errors = {
      server_id: ["must be the id of a server of this account, as `GET /servers` lists them"],
    };
    throw rejectionError(
      rejection("validation-failed", "server_id must be the id of a server of this account.", {
        fieldErrors: errors,
      }),
    );
  }
  if (owner !== accountId) throw rejectionError(rejection("unauthorized"));
  return id.value;
}

/**
 * Adds a comment, a customer's within its quota. A repeated text within a day, without another comment in between, is
 * not added again.
 * @param author account id, or null for staff. @throws ConnectError `ticket-closed`, `quota-exceeded`
 */
export async function reply(
  dependencies: SupportDependencies,
  row: TicketRow,
  author: number | null,
  text: string,
  context: WithContextValues,
): Promise<{ readonly ticket: TicketRow; readonly comment: CommentRow; readonly repeated: boolean }> {
  const { message } = validated({ message: parseTicketMessage(text) });
  const { commands, clock, desk, queries, readAfter } = dependencies;
  const { id: ticketId } = row;
  const last = row.status === "open" ? await queries.lastCommentOf(ticketId) : undefined;
  if (last?.account_id === author && last.message === message && isOfLastDay(clock, last))
    return { ticket: row, comment: last, repeated: true };
  const { operationId: replyId, ...origin } = requestContextOf(context);
  const said = { ticketId, message, accountId: author, replyId };
  const unnumbered = { ...said, commentId: unusedId, at: clock.now() };
  const refusal = await refusalOf(commands, ticketAggregate, String(ticketId), {
    type: "ReplyToTicket",
    data: unnumbered,
  });
  if (refusal !== undefined) throw rejectionError(refusal);
  const { state } = await commands.load(ticketAggregate, String(ticketId));
  // A repeat of a stored reply uses no quota.
  if (author !== null && state.status === "open" && !state.replies.has(replyId))
    await useQuota(
      dependencies.quotas,
      "ticket_bytes_a_day",
      ticketBytes(Buffer.byteLength(message)),
      context,
    );
  const replied = await desk.reply(said, origin);
  requireAccepted(replied);
  // The operation's first run may have stored the comment with another id.
  const added = replied.state.status === "absent" ? undefined : replied.state.replies.get(replyId);
  const comments = await readAfter(replied, streamOf(ticketId), (tables) => tables.commentsOf(ticketId));
  const comment = comments.find(({ id }) => id === added);
  if (comment === undefined) throw new Error(`the comment ${String(added)} was added and is not there`);
  // The customer's name is in another stream, so a comment read from the ticket's events lacks it.
  const name = comment.name ?? (author === null ? null : (await queries.customerById(author))?.name) ?? null;
  const ticket = await ticketAfter(dependencies, replied, ticketId);
  return { ticket, comment: { ...comment, name }, repeated: false };
}

const dayMs = 86_400_000;

function isOfLastDay(clock: SupportDependencies["clock"], { created_at: createdAt }: CommentRow): boolean {
  return clock.epochMilliseconds() - Date.parse(createdAt) < dayMs;
}

/** Closes a ticket. @throws ConnectError `ticket-closed` if another request closed it. */
export async function close(
  dependencies: SupportDependencies,
  { id: ticketId }: TicketRow,
  by: TicketClosed["data"]["by"],
  context: WithContextValues,
): Promise<TicketRow> {
  const { operationId: closeId, ...origin } = requestContextOf(context);
  const closed = await dependencies.desk.close({ ticketId, by, closeId }, origin);
  requireAccepted(closed);
  return ticketAfter(dependencies, closed, ticketId);
}
