import { counted } from "@hostledger/core";
import { Code, ConnectError } from "@connectrpc/connect";
import type { audit } from "@hostledger/protocol";
import { Backoff, Mutex, type Timing } from "@hostledger/runtime";
import {
  bundledEntry,
  encodeEntry,
  EntryError,
  type LogEvent,
  NoteError,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
} from "@hostledger/audit/log";
import {
  type BundledEvent,
  BundleError,
  damageOf,
  type LogSource,
  type SourceEntry,
} from "@hostledger/audit/verification";

import { type AuditClient, readingDeadlineMilliseconds } from "./audit-client.ts";
import {
  type AccountHistory,
  balanceHistories,
  type BalanceHistories,
  type BalanceState,
  balanceTypes,
} from "./balance-histories.ts";

/** Log of a running instance up to its latest checkpoint at the time of opening. */
export interface LiveLog extends LogSource {
  /** Number of events signed by the checkpoint. */
  readonly size: number;
  /** Reads all events up to the checkpoint in order. @throws BundleError if an event is missing */
  readonly events: () => AsyncGenerator<readonly LogEvent[]>;
  /** Reads all events of a damaged store, with their deviations from the log. */
  readonly eventsAsFound: () => AsyncGenerator<readonly BundledEvent[]>;
  /** Returns a sentence for each derived file that the instance found damaged and rebuilt. */
  readonly mended: () => Promise<readonly string[]>;
  /** Returns the read model's balances in cents at the checkpoint. Call after all events have been read. */
  readonly shownBalances: () => Promise<ReadonlyMap<number, bigint>>;
}

/**
 * Opens the log of a running instance. The instance is not trusted: hashing the events' bytes again must yield the root
 * signed by the checkpoint.
 * @throws BundleError if the instance's keys do not verify its checkpoint.
 */
export async function openLiveLog(client: AuditClient, timing: Timing): Promise<LiveLog> {
  const { note, verifierKeys, earlierNotes } = await client.getCheckpoint({ withEarlier: true });
  const size = sizeOf(note, verifierKeys);
  const histories = balanceHistories();
  // Verification reads some events twice, but balances must count each event once.
  let seen = 0;
  async function* events(
    first: number,
    end: number,
    withDamage: boolean,
  ): AsyncGenerator<readonly BundledEvent[]> {
    let next = first;
    for await (const batch of readRange(client, first, end, withDamage)) {
      for (const event of batch) {
        if (next === seen) {
          histories.see(event);
          seen += 1;
        }
        next += 1;
      }
      yield batch;
    }
  }
  const oneAtATime = new Mutex();
  return {
    note,
    verifierKeys,
    earlierNotes,
    tile: undefined,
    size,
    events: () => events(0, size, false),
    eventsAsFound: () => events(0, size, true),
    async *entries(first, end) {
      if (end - first > 1) for await (const batch of events(first, end, true)) yield batch.map(entryOf);
      // Reads one at a time, because the instance limits concurrent readings and there may be a thousand findings.
      else yield await oneAtATime.run(() => whole(events(first, end, true)));
    },
    fileFaults: async () =>
      (await logStatus(client, true)).fileProblems.map(
        (problem) => `the file of the event store: ${problem} (docs/runbook.md, StoreDamaged)`,
      ),
    mended: async () => (await logStatus(client, false)).mended,
    shownBalances: () => shownBalancesAsOf(client, { size, histories, timing }),
  };
}

/** Reads the log's status; instances of older versions do not report these fields. */
async function logStatus(
  client: AuditClient,
  checkFile: boolean,
): Promise<Pick<audit.GetLogStatusResponse, "fileProblems" | "mended">> {
  try {
    return await client.getLogStatus({ checkFile }, { timeoutMs: readingDeadlineMilliseconds });
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.Unimplemented)
      return { fileProblems: [], mended: [] };
    throw error;
  }
}

function sizeOf(note: string, verifierKeys: readonly string[]): number {
  try {
    return parseCheckpoint(openNote(note, verifierKeys.map(parseVerifierKey)).text).size;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    throw new BundleError(`The instance's checkpoint cannot be read: ${error.message}`, { cause: error });
  }
}

async function* readRange(
  client: AuditClient,
  first: number,
  end: number,
  withDamage: boolean,
): AsyncGenerator<readonly BundledEvent[]> {
  if (first >= end) return;
  const request = { firstIndex: BigInt(first), endIndex: BigInt(end), asStored: true, withDamage };
  let next = first;
  for await (const { events } of client.readEvents(request, { timeoutMs: readingDeadlineMilliseconds })) {
    for (const { index } of events) {
      if (index !== BigInt(next))
        throw new BundleError(`The instance did not give event ${String(next)} of its log.`);
      next += 1;
    }
    yield events;
  }
  if (next < end)
    throw new BundleError(`The instance gave ${String(next)} of the ${counted(end, "event")} of its log.`);
}

function entryOf(found: BundledEvent): SourceEntry {
  const damage = damageOf(found);
  if (damage === undefined) return wholeEntry(found);
  // A missing event has no stream, no bytes and no content.
  if (found.stream === "") return { bundled: new Uint8Array(), event: undefined, problem: undefined, damage };
  return { ...wholeEntry(found), damage };
}

function wholeEntry(event: LogEvent): SourceEntry {
  try {
    return { bundled: bundledEntry(encodeEntry(event)), event, problem: undefined };
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    // Without the bytes the computed root will differ from the signed root.
    return { bundled: new Uint8Array(), event: undefined, problem: error.message };
  }
}

async function whole(batches: AsyncIterable<readonly BundledEvent[]>): Promise<readonly SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const batch of batches) entries.push(...batch.map(entryOf));
  return entries;
}

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
async function shownBalancesAsOf(
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
