import { accountAggregate, nextOfDebt, type DebtEffect, type WorkedDebt } from "@hostledger/core";
import type { Clock, Ids } from "@hostledger/runtime";
import type { AccountCommands } from "@hostledger/store";
import { endOf, workKind, type AnyWorkKind } from "@hostledger/work";

import { debtKind } from "../reads/account.tables.ts";
import { tellOncePerDay } from "./failing-work.ts";

export interface DebtWorkOptions {
  readonly accounts: AccountCommands;
  /** Days of debt after which customers are reminded, the fewest first. */
  readonly reminderDays: readonly number[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** True while the store is an older backup that staff have not accepted: a later reminder may be lost with its events. */
  readonly refusesWrites: () => boolean;
}

/** Pauses after an attempt that could not be stored, in milliseconds. */
const retry = { firstMs: 1_000, longestMs: 3_600_000 };

/** Pause while nothing may be sent, in milliseconds. */
const postponedMs = 60_000;

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
          if (refusesWrites()) return { outcome: "done", step: "postponed", againAfterMs: postponedMs };
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
      tellOncePerDay(
        { accounts, clock },
        { work: "debt-reminders", about: `the debt of account ${accountId}` },
        reason,
      ),
  });
}
