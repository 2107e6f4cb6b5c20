import type { AccountState } from "../account/account.state.ts";
import { reminderAt } from "../account/debt.ts";
import type { Next } from "./next.ts";

/** The state from which the work on an account's debt decides. */
export interface WorkedDebt {
  readonly account: AccountState;
  /** Days of debt after which the customer is reminded, the fewest first. */
  readonly reminderDays: readonly number[];
}

export interface DebtEffect {
  readonly type: "remind";
  readonly accountId: number;
  readonly debtSince: string;
  readonly afterDays: number;
}

/**
 * Decides whether the customer of an account in debt is reminded. Of several reminders that were missed, for example while
 * nothing ran, only the last is sent. A debt that begins again has all its reminders again.
 */
export function nextOfDebt({ account, reminderDays }: WorkedDebt, now: string): Next<DebtEffect> {
  if (account.status !== "open" || account.erasedAt !== undefined || account.debt === null) return "done";
  const { accountId, debt } = account;
  const left = reminderDays.filter((days) => days > debt.remindedDays);
  const afterDays = left.findLast((days) => reminderAt(debt, days) <= now);
  if (afterDays !== undefined) return { do: { type: "remind", accountId, debtSince: debt.since, afterDays } };
  const [next] = left;
  return next === undefined ? "done" : { wait: reminderAt(debt, next) };
}
