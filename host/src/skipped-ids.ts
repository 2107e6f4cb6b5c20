import { isLeaf, readKeptLog } from "@hostledger/audit-service";
import {
  AuditFaultError,
  maximumBlockSize,
  sequenceAggregate,
  sequenceNames,
  seriesName,
  type SequenceEnd,
  type StoreRewindState,
} from "@hostledger/core";
import {
  lastIdOf,
  type CommandContext,
  type CommandHandler,
  type EventStore,
  type Lineage,
  type RecordedEvent,
} from "@hostledger/store";
import type { Logger } from "@hostledger/runtime";

/** Ids that are skipped in each sequence beyond the known ones, for unknown ids of the lost events. */
const skippedIds = 10_000;

/** The largest id that staff may name, and the largest that an estimate reaches. */
export const largestSkippedId = 1_000_000_000;

/**
 * Estimates where sequences ended in the lost part: each event that the audit log has signed and the store lacks may have
 * reserved a block. Counts the events of the whole store, because an engine's positions have gaps.
 * @param signed number of events that the log has signed.
 */
export async function lostIds(
  store: Pick<EventStore, "read" | "subscribe">,
  signed: number,
): Promise<{ readonly lostEvents: number; readonly ends: ReadonlyMap<string, number> }> {
  const lostEvents = Math.max(0, signed - (await countEvents(store)));
  const ends = new Map<string, number>();
  if (lostEvents === 0) return { lostEvents, ends };
  for (const name of sequenceNames) ends.set(name, 0);
  for await (const block of newestBlocks(store))
    ends.set(block.stream.slice("sequence-".length), lastIdOf(block) ?? 0);
  for (const [name, last] of ends) {
    const estimate = Math.min(last + lostEvents * maximumBlockSize, largestSkippedId);
    ends.set(name, Math.max(last, estimate));
  }
  return { lostEvents, ends };
}

/** Events that are leaves of the audit log: all but those of an engine's own streams. */
async function countEvents(store: Pick<EventStore, "subscribe">): Promise<number> {
  const reading = new AbortController();
  let count = 0;
  for await (const { events, caughtUp } of store.subscribe({ from: "start", signal: reading.signal })) {
    count += events.filter(isLeaf).length;
    if (caughtUp) break;
  }
  reading.abort();
  return count;
}

/** The last block of each sequence; foreign and damaged events after it are passed over. */
export async function* newestBlocks(
  store: Pick<EventStore, "read">,
): AsyncGenerator<RecordedEvent, void, undefined> {
  for (const name of sequenceNames)
    for await (const event of store.read(`sequence-${name}`, { direction: "backwards" })) {
      if (lastIdOf(event) !== undefined) {
        yield event;
        break;
      }
    }
}

/** Makes every sequence continue above all ids that may have been given out. @returns where they continue. */
export async function skipIds(
  commands: CommandHandler,
  { open }: Pick<StoreRewindState, "open">,
  {
    known,
    above,
    context,
  }: {
    readonly known: ReadonlyMap<string, number>;
    readonly above?: number;
    readonly context: CommandContext;
  },
): Promise<readonly SequenceEnd[]> {
  const ends: SequenceEnd[] = [];
  for (const name of sequenceNames) {
    const reported = open.flatMap(({ sequences }) => sequences).filter(({ sequence }) => sequence === name);
    const { state } = await commands.load(sequenceAggregate, name);
    const reserved = Math.max(state.last, known.get(name) ?? 0, ...reported.map(({ last }) => last));
    const last = above !== undefined && above >= reserved ? above : reserved + skippedIds;
    await commands.execute(
      sequenceAggregate,
      name,
      { type: "SkipIds", data: { last } },
      { ...context, commandId: `${context.commandId}/${name}` },
    );
    ends.push({ sequence: name, last });
  }
  return ends;
}

/** Makes sequences continue above the ids that a process knows. */
export async function skipKnownIds(
  commands: CommandHandler,
  known: ReadonlyMap<string, number>,
  contextOf: (name: string) => CommandContext,
): Promise<void> {
  for (const [name, last] of known)
    if (name !== seriesName)
      await commands.execute(sequenceAggregate, name, { type: "SkipIds", data: { last } }, contextOf(name));
}

/** Adds ids of lost events to the known ids, as far as this process's audit log shows them. */
export async function noteLostIds({
  lineage,
  logger,
  signedEvents,
  store,
}: {
  readonly lineage: Pick<Lineage, "noteSequence">;
  readonly logger: Pick<Logger, "warn">;
  readonly signedEvents: () => Promise<number | undefined>;
  readonly store: Pick<EventStore, "read" | "subscribe">;
}): Promise<void> {
  const signed = await signedEvents();
  if (signed === undefined) return;
  const { lostEvents, ends } = await lostIds(store, signed);
  for (const [name, last] of ends) lineage.noteSequence(name, last);
  logger.warn({ signed, lostEvents }, "events that the audit log has signed are missing from the store");
}

/** Number of events that the audit log of a data directory has signed; undefined if no log can be read there. */
export async function signedEventsIn(data: string): Promise<number | undefined> {
  try {
    return (await readKeptLog(data))?.size;
  } catch (error) {
    if (error instanceof AuditFaultError) return undefined;
    throw error;
  }
}
