import { accountHistory, type AccountMovement } from "./account-history.ts";
import type { Facts, UnreadableFact } from "./fact.ts";
import { checkPeriod, untilNow } from "./instant.ts";
import { made, unanswerable, unknown, type Report } from "./report.ts";

/** The opening balance plus all movements is the closing balance. */
export interface Statement {
  readonly accountId: number;
  /** Name of the customer, or `[erased]`. */
  readonly name: string;
  /** Movements stored at this instant or later; undefined: from the opening on. */
  readonly from: string | undefined;
  /** Movements stored up to this instant, inclusive. */
  readonly asOf: string;
  readonly openingBalanceCents: bigint;
  /** In the order in which they happened. */
  readonly movements: readonly Movement[];
  readonly closingBalanceCents: bigint;
}

/** A statement as it was recomputed. */
export interface RecomputedStatement extends Statement {
  /** Movements and documents that cannot be read and are left out. */
  readonly unreadable: readonly UnreadableFact[];
}

/** A movement and the balance it left. */
export interface Movement extends AccountMovement {
  /** Cents (EUR). */
  readonly balanceAfterCents: bigint;
}

/** Whose statement. Instants are ISO 8601 UTC with six fractional digits. */
export interface StatementRequest {
  readonly accountId: number;
  readonly from?: string | undefined;
  /** Default: all facts count, those too that a clock ahead of ours has stored after `now`. */
  readonly asOf?: string | undefined;
  readonly now: string;
}

/** An account's balance at an instant. */
export interface BalanceAsOf {
  readonly accountId: number;
  readonly asOf: string;
  readonly balanceCents: bigint;
  /** Revision of the last fact that counted. */
  readonly revision: bigint;
  /** Movements that cannot be read and are left out. */
  readonly unreadable: readonly UnreadableFact[];
}

/**
 * Recomputes an account's movements from the facts of its stream, and from nothing else: neither the read model nor the
 * balances that the facts tell are believed.
 * @param facts of the stream `account-<id>`, in its order.
 */
export async function statementOf(
  facts: Facts,
  request: StatementRequest,
): Promise<Report<RecomputedStatement>> {
  const { accountId, from, now } = request;
  const until = request.asOf === undefined ? undefined : untilNow(request.asOf, now);
  const wrong = checkPeriod({ from, asOf: until ?? now, now });
  if (wrong !== undefined) return unanswerable(wrong);
  const history = await accountHistory(facts, until);
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

/**
 * Recomputes what an account had at an instant: the sum of its movements stored up to it, inclusive.
 * @param facts of the stream `account-<id>`, in its order.
 */
export async function balanceAsOf(
  facts: Facts,
  request: { readonly accountId: number; readonly asOf: string; readonly now: string },
): Promise<Report<BalanceAsOf>> {
  const { accountId, now } = request;
  const asOf = untilNow(request.asOf, now);
  const wrong = checkPeriod({ from: undefined, asOf, now });
  if (wrong !== undefined) return unanswerable(wrong);
  const { movements, openedAt, firstTime, revision, unreadable } = await accountHistory(facts, asOf);
  if (openedAt === undefined) return absence(firstTime, accountId, asOf);
  const balanceCents = movements.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  return made({ accountId, asOf, balanceCents, revision, unreadable });
}

/** Nothing of the account counted: there is no such account, or there was none yet. */
function absence(firstTime: string | undefined, accountId: number, asOf: string): Report<never> {
  return firstTime === undefined
    ? unknown(`There is no account ${String(accountId)}.`)
    : unanswerable(
        `Account ${String(accountId)} was opened at ${firstTime}: it had no balance yet at ${asOf}.`,
      );
}
