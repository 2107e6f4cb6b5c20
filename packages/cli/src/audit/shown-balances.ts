import { Backoff, type Timing } from "@hostledger/runtime";

import type { AuditClient } from "./audit-client.ts";
import { readingDeadlineMilliseconds } from "./audit-client.ts";
import {
  balanceTypes,
  type AccountHistory,
  type BalanceHistories,
  type BalanceState,
} from "./balance-histories.ts";

const pageAccounts = 1_000;
/** Pauses while the read model catches up with the log; then its deviations count as errors. */
const followBackoff = { firstMs: 50, longestMs: 1_600 };
const attempts = 8;

/**
 * Returns the read model's balances as of a checkpoint, in cents by account id.
 *
 * Balances change while the log is read, and the read model may be behind or ahead. Each row is therefore compared with
 * the balance after the movement stored at the row's `last_movement_at`. A row that was correct at the checkpoint or
 * later counts as the balance at the checkpoint. Other rows are read again, because the read model may catch up; a row
 * that stays wrong is returned unchanged, so that it differs from the events.
 */
export async function shownBalancesAsOf(
  client: AuditClient,
  {
    size,
    histories,
    timing,
  }: { readonly size: number; readonly histories: BalanceHistories; readonly timing: Timing },
): Promise<ReadonlyMap<number, bigint>> {
  let next = BigInt(size);
  const backoff = new Backoff(followBackoff, timing);
  for (let attempt = 1; ; attempt += 1) {
    const rows = await listBalances(client);
    // Reads the log after the rows, so that it includes every movement of the rows.
    next = await readOn(client, next, histories);
    const { balances, isExplained } = explain(rows, histories);
    if (isExplained || attempt >= attempts) return balances;
    await backoff.pause();
  }
}

async function listBalances(client: AuditClient): Promise<Map<number, BalanceState>> {
  const rows = new Map<number, BalanceState>();
  for (let afterId = 0n; ;) {
    const { accounts } = await client.listAuditedAccounts({ page: { afterId, limit: pageAccounts } });
    for (const { accountId, balanceCents, lastMovementAt } of accounts)
      rows.set(Number(accountId), { cents: balanceCents, movedAt: lastMovementAt });
    const last = accounts.at(-1)?.accountId ?? afterId;
    if (accounts.length < pageAccounts || last <= afterId) return rows;
    afterId = last;
  }
}

async function readOn(client: AuditClient, first: bigint, histories: BalanceHistories): Promise<bigint> {
  const request = { firstIndex: first, types: [...balanceTypes], asStored: true };
  let next = first;
  for await (const batch of client.readEvents(request, { timeoutMs: readingDeadlineMilliseconds })) {
    for (const event of batch.events) histories.seeLater(event);
    if (batch.nextIndex > next) next = batch.nextIndex;
  }
  return next;
}

function explain(
  rows: ReadonlyMap<number, BalanceState>,
  histories: BalanceHistories,
): { readonly balances: ReadonlyMap<number, bigint>; readonly isExplained: boolean } {
  const balances = new Map<number, bigint>();
  let isExplained = true;
  for (const accountId of new Set([...histories.accountIds(), ...rows.keys()])) {
    const [row, history] = [rows.get(accountId), histories.of(accountId)];
    if (history !== undefined && history.atCheckpoint === undefined) continue;
    if (row !== undefined && history?.atCheckpoint !== undefined && isStateOf(history, row)) {
      balances.set(accountId, history.atCheckpoint.cents);
      continue;
    }
    isExplained = false;
    if (row !== undefined) balances.set(accountId, row.cents);
  }
  return { balances, isExplained };
}

function isStateOf({ atCheckpoint, later }: AccountHistory, row: BalanceState): boolean {
  const isRow = (state: BalanceState | undefined): boolean =>
    state?.cents === row.cents && state.movedAt === row.movedAt;
  return isRow(atCheckpoint) || later.some(isRow);
}
