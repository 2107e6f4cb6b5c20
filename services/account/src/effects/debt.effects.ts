import { accountAggregate, nextOfDebt, type DebtEffect, type WorkedDebt } from "@hostledger/core";
import type { Clock, Ids } from "@hostledger/runtime";
import type { AccountCommands } from "@hostledger/store";
import { endOf, requestDailyWorkTicket, workKind, type AnyWorkKind } from "@hostledger/work";

import { debtKind } from "../reads/account.tables.ts";
import { postponed, retry } from "./pauses.ts";
import { ticketOptions } from "./ticket-options.ts";

export interface DebtWorkOptions {
  readonly accounts: AccountCommands;
  /** Days of debt after which customers are reminded, the fewest first. */
  readonly reminderDays: readonly number[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** True while the store is an older backup that staff have not accepted: a later reminder may be lost with its events. */
  readonly refusesWrites: () => boolean;
}

/**
 * Returns the work that reminds customers of debts. Its keys are account ids. A reminder is an event of the account's stream, so
 * each one happens once; its notice goes to webhooks and mail.
 */
export function debtWork({
  accounts,
  reminderDays,
  clock,
  ids,
  refusesWrites,
}: DebtWorkOptions): AnyWorkKind {
  return workKind<WorkedDebt, DebtEffect>({
    name: debtKind,
    async load(accountId) {
      const { state } = await accounts.commands.load(accountAggregate, accountId);
      return { account: state, reminderDays };
    },
    next: nextOfDebt,
    effects: {
      remind: {
        retry,
        async carryOut({ accountId, debtSince, afterDays }) {
          if (refusesWrites()) return postponed;
          const executed = await accounts.execute(
            accountId,
            { type: "RecordDebtReminder", data: { debtSince, afterDays, at: clock.now() } },
            {
              commandId: `debt-reminder/${debtSince}/${String(afterDays)}`,
              correlationId: `debt/${ids.uuid()}`,
              actor: "process:debt",
            },
          );
          return endOf(executed, "reminded");
        },
      },
    },
    tellOfFailures: (accountId, reason) =>
      requestDailyWorkTicket(
        ticketOptions({ accounts, clock }),
        { work: "debt-reminders", about: `the debt of account ${accountId}` },
        reason,
      ),
  });
}
