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

/** How often events that need a ticket are looked for, in milliseconds. */
const intervalMs = 250;

/** After how long events are looked at again whose tickets an event held up that cannot be read, in milliseconds. */
const heldUpMs = 60_000;

/** Events looked at in one round. */
const roundLimit = 1_000;

/** Opens the tickets that events ask for, and says on them what came of it. It works from the read model's state, so that no event is missed. */
export interface CauseWorker {
  /**
   * Opens what is not open yet, at most a round of it.
   * @returns how many events were looked at for the first time.
   * @throws whatever the store throws; the next round begins where this one ended.
   */
  openDue(): Promise<number>;
  /**
   * Says on tickets that what they were opened for has come to its end, and closes those on which nobody has anything to do, at most
   * a round of it. A ticket that is closed stays as it is.
   * @returns how many causes were looked at for the first time. @throws whatever the store throws, as above.
   */
  commentDue(): Promise<number>;
  /** Works until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
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

/** Creates the worker. */
export function createCauseWorker({ desk, queries, logger, clock }: CauseWorkerOptions): CauseWorker {
  /**
   * The log up to which this process has dealt with events. Rows that stay (an unpaid renewal fails again when its ticket
   * is open) are thereby looked at once, and never stand in the way of later ones.
   */
  let settledPosition = -1;
  /** The same for causes that have ended; those whose ticket was closed without a comment stay. */
  let commented = fromTheFirstEnd;
  /** Where both go on again for the sake of rows that were held up, and when, in monotonic milliseconds. */
  let heldUp: HeldUp | undefined;

  async function open(row: CauseRow): Promise<void> {
    const accountId = row.account_id ?? row.run_account_id;
    const priority = parseTicketPriority(row.priority);
    // Whatever is nobody's, and does not wait for a run to say whose it is, is for staff.
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
      // Nothing can be written to this customer, and others wait behind: staff are told in their place.
      const prefix = `For account ${String(accountId)}, whose key of personal data is missing. `;
      await desk.open({ ...content, accountId: null, message: prefix + message }, context);
    }
  }

  /** Does what takes a row. A stream that holds an event which cannot be read keeps no other row waiting. */
  function attend(cause: string, work: () => Promise<void>): Promise<void> {
    return unlessUnreadable(work, (error) => {
      logger.error({ cause, err: error }, "a ticket is held up by an event that cannot be read");
      heldUp ??= { settledPosition, commented, untilMs: clock.monotonicMilliseconds() + heldUpMs };
    });
  }

  /** Looks again at what was held up: the event may have been mended, or another process may be newer. */
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
    async run(signal) {
      while (!signal.aborted) {
        const looked = Math.max(await openDue(), await commentDue());
        if (looked === roundLimit) continue;
        await clock.sleep(intervalMs, signal);
      }
    },
  };
}

async function commentOn(
  { desk, logger }: Pick<CauseWorkerOptions, "desk" | "logger">,
  { cause, ticket_id: ticketId }: EndedCauseRow,
): Promise<void> {
  // The cause is the reply's id, so that whoever comes with it again adds no second comment.
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
