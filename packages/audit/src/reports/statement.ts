import { accountHistory, type AccountMovement } from "./account-history.ts";
import type { Events } from "./event.ts";
import { checkPeriod, untilNow } from "./instant.ts";
import { made, unanswerable, unknown, type Report } from "./report.ts";

/** A statement: opening balance plus all movements equals closing balance. */
export interface Statement {
  readonly accountId: number;
  /** Name of the customer, or `[erased]`. */
  readonly name: string;
  /** Start of the period, inclusive; undefined for the account's opening. */
  readonly from: string | undefined;
  /** End of the period, inclusive. */
  readonly asOf: string;
  readonly openingBalanceCents: bigint;
  /** Movements in order of time. */
  readonly movements: readonly Movement[];
  readonly closingBalanceCents: bigint;
}

export interface RecomputedStatement extends Statement {
  /** Sentences on movements and documents that the statement omits. */
  readonly unreadable: readonly string[];
}

export interface Movement extends AccountMovement {
  readonly balanceAfterCents: bigint;
}

/** Account and period of a statement. Instants are ISO 8601 UTC with six fractional digits. */
export interface StatementRequest {
  readonly accountId: number;
  readonly from?: string | undefined;
  /** If absent, all events count, even if a fast clock stored them after `now`. */
  readonly asOf?: string | undefined;
  readonly now: string;
}

export interface BalanceAsOf {
  readonly accountId: number;
  readonly asOf: string;
  readonly balanceCents: bigint;
  /** Revision of the last included event. */
  readonly revision: bigint;
  /** Sentences on movements that the balance omits. */
  readonly unreadable: readonly string[];
}

/**
 * Recomputes an account's movements only from the events of its stream, without the read model and without the balances
 * that events contain.
 * @param events events of the stream `account-<id>`, in order.
 */
export async function statementOf(
  events: Events,
  request: StatementRequest,
): Promise<Report<RecomputedStatement>> {
  const { accountId, from, now } = request;
  const until = request.asOf === undefined ? undefined : untilNow(request.asOf, now);
  const wrong = checkPeriod({ from, asOf: until ?? now, now });
  if (wrong !== undefined) return unanswerable(wrong);
  const history = await accountHistory(events, until);
  const { lastTime = now } = history;
  const asOf = until ?? (lastTime > now ? lastTime : now);
  if (history.openedAt === undefined) return absence(history.firstTime, accountId, asOf);
  let balanceCents = 0n;
  let openingBalanceCents = 0n;
  const movements: Movement[] = [];
  for (const movement of history.movements) {
    balanceCents += movement.amountCents;
    if (from !== undefined && movement.time < from) openingBalanceCents += movement.amountCents;
    else movements.push({ ...movement, balanceAfterCents: balanceCents });
  }
  const { name } = history;
  return made({
    accountId,
    name,
    from,
    asOf,
    openingBalanceCents,
    movements,
    closingBalanceCents: balanceCents,
    unreadable: history.unreadable,
  });
}

/** Recomputes an account's balance at an instant. @param events events of the stream `account-<id>`, in order. */
export async function balanceAsOf(
  events: Events,
  request: { readonly accountId: number; readonly asOf: string; readonly now: string },
): Promise<Report<BalanceAsOf>> {
  const { accountId, now } = request;
  const asOf = untilNow(request.asOf, now);
  const wrong = checkPeriod({ from: undefined, asOf, now });
  if (wrong !== undefined) return unanswerable(wrong);
  const { movements, openedAt, firstTime, revision, unreadable } = await accountHistory(events, asOf);
  if (openedAt === undefined) return absence(firstTime, accountId, asOf);
  const balanceCents = movements.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  return made({ accountId, asOf, balanceCents, revision, unreadable });
}

/** Rejects an account that does not exist, or did not exist yet. */
function absence(firstTime: string | undefined, accountId: number, asOf: string): Report<never> {
  return firstTime === undefined
    ? unknown(`There is no account ${String(accountId)}.`)
    : unanswerable(
        `Account ${String(accountId)} was opened at ${firstTime}: it had no balance yet at ${asOf}.`,
      );
}
