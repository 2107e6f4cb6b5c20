import { counted } from "@hostledger/core";
import { Code, ConnectError } from "@connectrpc/connect";
import type { audit } from "@hostledger/protocol";
import { Mutex, type Timing } from "@hostledger/runtime";
import {
  bundledEntry,
  encodeEntry,
  EntryError,
  NoteError,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  type LogEvent,
} from "@hostledger/audit/log";
import {
  BundleError,
  damageOf,
  type BundledEvent,
  type LogSource,
  type SourceEntry,
} from "@hostledger/audit/verification";
import { readingDeadlineMilliseconds, type AuditClient } from "./audit-client.ts";
import { balanceHistories } from "./balance-histories.ts";
import { shownBalancesAsOf } from "./shown-balances.ts";

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
