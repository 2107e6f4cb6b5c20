import { addMilliseconds } from "../calendar/calendar.ts";
import { accept, CorruptStreamError, type Decision } from "../kernel/decider.ts";
import type { RecordDebtReminder } from "./account.commands.ts";
import type { AccountEvent, DebtReminded } from "./account.events.ts";
import type { Debt, OpenAccountState } from "./account.state.ts";

const dayMs = 86_400_000;

/** Returns when an account is reminded after so many days of debt (ISO 8601 UTC). */
export function reminderAt({ since }: Debt, afterDays: number): string {
  return addMilliseconds(since, afterDays * dayMs);
}

/** Records a reminder. One of a debt that has ended, or that came as late before, adds nothing. */
export function recordDebtReminder(
  { data: { debtSince, afterDays, at } }: RecordDebtReminder,
  { accountId, balanceCents, debt, erasedAt }: OpenAccountState,
): Decision<AccountEvent> {
  const isDue = debt?.since === debtSince && afterDays > debt.remindedDays && erasedAt === undefined;
  if (!isDue) return accept();
  return accept({
    type: "DebtReminded",
    data: {
      accountId,
      debtSince,
      afterDays,
      reminder: debt.reminders + 1,
      balanceCents: String(balanceCents),
      remindedAt: at,
    },
  });
}

/** @throws CorruptStreamError if the account is not in debt, or was reminded after as many days */
export function afterReminder({ debt }: OpenAccountState, { type, data }: DebtReminded): Debt {
  const { debtSince: since, afterDays: remindedDays, reminder: reminders } = data;
  if (debt?.since !== since || remindedDays <= debt.remindedDays)
    throw new CorruptStreamError(type, "no such debt");
  return { since, remindedDays, reminders };
}

/** Begins a debt with the event that takes the balance below zero, and ends it with the one that brings it back. */
export function withDebt(state: OpenAccountState, event: AccountEvent): OpenAccountState {
  if (state.balanceCents >= 0n) return state.debt === null ? state : { ...state, debt: null };
  if (state.debt !== null || event.type !== "BalanceAdjusted") return state;
  return { ...state, debt: { since: event.data.adjustedAt, reminders: 0, remindedDays: 0 } };
}
