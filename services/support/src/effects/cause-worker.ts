import { parseTicketPriority } from "@hostledger/core";
import { unlessUnreadable } from "@hostledger/store";
import { SubjectKeyMissingError } from "@hostledger/store/personal-data";
import type { Logger, Timing } from "@hostledger/runtime";

import {
  fromTheFirstEnd,
  type CauseRow,
  type EndedCausePlace,
  type EndedCauseRow,
  type SupportQueries,
} from "../reads/support.queries.ts";
import { causeOfSuspension } from "../reads/ticket-causes.ts";
import { endText, isClosedAtEnd } from "../reads/ticket-texts.ts";
import type { TicketDesk } from "./ticket-desk.ts";

/** Pause before events are tried again whose ticket an unreadable event prevented, in milliseconds. */
const heldUpMs = 60_000;

/** Maximum events in one round. */
const roundLimit = 1_000;

/**
 * Opens the tickets that events require, and adds comments about how the causes ended. Works from the read model's
 * state, so no event is missed.
 */
export interface CauseWorker {
  /**
   * Opens missing tickets, at most one round of them.
   * @returns number of events seen for the first time.
   * @throws Every error of the store; the next round begins where this one ended.
   */
  openDue(): Promise<number>;
  /**
   * Comments on tickets whose cause has ended, and closes those that need no action, at most one round of them. A
   * closed ticket is not changed.
   * @returns number of causes seen for the first time.
   * @throws Every error of the store, as above.
   */
  commentDue(): Promise<number>;
  /** Does both. @returns false where more may be due. */
  round(): Promise<boolean>;
}

interface CauseWorkerOptions {
  readonly desk: Pick<TicketDesk, "open"> & {
    reply(...given: Parameters<TicketDesk["reply"]>): Promise<{ readonly accepted: boolean }>;
    close(...given: Parameters<TicketDesk["close"]>): Promise<{ readonly accepted: boolean }>;
  };
  readonly queries: Pick<SupportQueries, "causesAfter" | "endedCausesAfter">;
  readonly logger: Logger;
  readonly clock: Timing;
}

/** A place to go back to. */
interface HeldUp {
  readonly settledPosition: number;
  readonly commented: EndedCausePlace;
  readonly untilMs: number;
}

export function createCauseWorker({ desk, queries, logger, clock }: CauseWorkerOptions): CauseWorker {
  /**
   * Log position up to which this process has handled events. Rows that stay (an unpaid renewal fails again while
   * its ticket is open) are therefore read once and do not delay later ones.
   */
  let settledPosition = -1;
  /** The same position for ended causes; causes whose ticket was closed without a comment stay. */
  let commented = fromTheFirstEnd;
  /** Position and time, in monotonic milliseconds, from which blocked rows are tried again. */
  let heldUp: HeldUp | undefined;

  async function open(row: CauseRow): Promise<void> {
    const accountId = row.account_id ?? row.run_account_id;
    const priority = parseTicketPriority(row.priority);
    // A cause without an account, and without a run that may still name one, is for staff.
    if ((accountId === null && row.run !== null) || !priority.ok) {
      logger.error({ cause: row.cause }, "an event asks for a ticket, but does not say for whom");
      return;
    }
    const { title, message } = row;
    const cause = causeOfSuspension(row.cause, row.resumed_revision);
    const content = { accountId, title, message, priority: priority.value, serverId: null, cause };
    const context = { correlationId: cause, actor: "process:support" };
    try {
      await desk.open(content, context);
    } catch (error) {
      if (!(error instanceof SubjectKeyMissingError)) throw error;
      // A missing key prevents a ticket of this customer and would block later ones, so staff get the ticket.
      const prefix = `For account ${String(accountId)}, whose key of personal data is missing. `;
      await desk.open({ ...content, accountId: null, message: prefix + message }, context);
    }
  }

  /** Handles a row. A stream with an unreadable event delays no other row. */
  function attend(cause: string, work: () => Promise<void>): Promise<void> {
    return unlessUnreadable(work, (error) => {
      logger.error({ cause, err: error }, "a ticket is held up by an event that cannot be read");
      heldUp ??= { settledPosition, commented, untilMs: clock.monotonicMilliseconds() + heldUpMs };
    });
  }

  /** Tries blocked rows again: staff may have mended the event, or another process may be newer. */
  function goBack(): void {
    if (heldUp === undefined || clock.monotonicMilliseconds() < heldUp.untilMs) return;
    ({ settledPosition, commented } = heldUp);
    heldUp = undefined;
  }

  async function openDue(): Promise<number> {
    goBack();
    const rows = await queries.causesAfter(settledPosition, roundLimit);
    for (const row of rows) {
      await attend(row.cause, () => open(row));
      settledPosition = row.log_position;
    }
    return rows.length;
  }

  async function commentDue(): Promise<number> {
    const rows = await queries.endedCausesAfter(commented, roundLimit);
    for (const row of rows) {
      await attend(row.cause, () => commentOn({ desk, logger }, row));
      commented = row;
    }
    return rows.length;
  }

  return {
    openDue,
    commentDue,
    round: async () => Math.max(await openDue(), await commentDue()) < roundLimit,
  };
}

async function commentOn(
  { desk, logger }: Pick<CauseWorkerOptions, "desk" | "logger">,
  { cause, ticket_id: ticketId }: EndedCauseRow,
): Promise<void> {
  // The cause is the reply's id, so that a repeat adds no second comment.
  const content = { ticketId, message: endText(cause), accountId: null, replyId: cause };
  const context = { correlationId: cause, actor: "process:support" };
  try {
    const replied = await desk.reply(content, context);
    if (!replied.accepted)
      logger.info({ cause, ticketId }, "a ticket took no comment on the end of its cause");
    else if (isClosedAtEnd(cause)) await desk.close({ ticketId, by: "staff", closeId: cause }, context);
  } catch (error) {
    if (!(error instanceof SubjectKeyMissingError)) throw error;
    // Others wait behind, and staff know of the key; the next start tries it again.
    logger.warn({ cause, ticketId }, "a ticket's cause is over, but nothing can be written to its customer");
  }
}
