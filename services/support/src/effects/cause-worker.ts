import { parseTicketPriority } from "@hostledger/core";
import { SubjectKeyMissingError } from "@hostledger/personal-data";
import type { Logger, Timing } from "@hostledger/runtime";

import type { CauseRow, SupportQueries } from "../reads/support.queries.ts";
import type { TicketDesk } from "./ticket-desk.ts";

/** How often facts that need a ticket are looked for, in milliseconds. */
const intervalMs = 250;

/** Facts looked at in one round. */
const roundLimit = 1_000;

/** Opens the tickets that facts ask for. It works from the read model's state, so that no fact is missed. */
export interface CauseWorker {
  /**
   * Opens what is not open yet, at most a round of it.
   * @returns how many facts were looked at for the first time.
   * @throws whatever the store throws; the next round begins where this one ended.
   */
  openDue(): Promise<number>;
  /** Works until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Creates the worker. */
export function createCauseWorker({
  desk,
  queries,
  logger,
  clock,
}: {
  readonly desk: TicketDesk;
  readonly queries: Pick<SupportQueries, "causesAfter">;
  readonly logger: Logger;
  readonly clock: Timing;
}): CauseWorker {
  /**
   * The log up to which this process has dealt with facts. Rows that stay (an unpaid renewal fails again when its ticket
   * is open) are thereby looked at once, and never stand in the way of later ones.
   */
  let settledPosition = -1;

  async function open(row: CauseRow): Promise<void> {
    const accountId = row.account_id ?? row.run_account_id;
    const priority = parseTicketPriority(row.priority);
    // Whatever is nobody's, and does not wait for a run to say whose it is, is for staff.
    if ((accountId === null && row.run !== null) || !priority.ok) {
      logger.error({ cause: row.cause }, "a fact asks for a ticket, but does not say for whom");
      return;
    }
    const { cause, title, message } = row;
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

  async function openDue(): Promise<number> {
    const rows = await queries.causesAfter(settledPosition, roundLimit);
    for (const row of rows) {
      await open(row);
      settledPosition = row.log_position;
    }
    return rows.length;
  }

  return {
    openDue,
    async run(signal) {
      while (!signal.aborted) {
        if ((await openDue()) === roundLimit) continue;
        await clock.sleep(intervalMs, signal);
      }
    },
  };
}
