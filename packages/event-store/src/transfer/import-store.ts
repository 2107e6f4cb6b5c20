import type { EventStore, RecordedEvent } from "../event-store.port.ts";
import type { TransferSource } from "./file-lines.ts";
import { ImportWriter } from "./import-writer.ts";
import { ownEvents } from "./own-events.ts";
import { TransferError } from "./transfer-error.ts";
import type { TransferEvent, TransferSummary } from "./transfer-file.codec.ts";
import { verifiedEvents } from "./verified-events.ts";

/** How to import. */
export interface ImportOptions {
  /** Hears now and then how many events of the file are stored. */
  readonly onProgress?: (events: number) => void;
}

/** What an import came to. */
export interface ImportSummary extends TransferSummary {
  /** Events that an earlier, interrupted import of the file had stored. */
  readonly alreadyThere: number;
}

/**
 * Stores the events of a file in an empty store, with their ids, order, data and metadata; with their times where the
 * engine can (`restore`), and else with the times beside them. The file is checked whole before the first event is
 * written, and the store is read back at the end. An import that was interrupted is run again: it goes on where it was.
 *
 * @throws TransferError the file is foreign, newer, damaged or cut off, or the store has other events: nothing was
 * written. Or somebody else wrote to the store meanwhile.
 * @throws Error what the store throws, or the source (Node's codes): run it again.
 */
export async function importStore(
  store: EventStore,
  source: TransferSource,
  { onProgress }: ImportOptions = {},
): Promise<ImportSummary> {
  const before = await compare(store, source);
  const writer = new ImportWriter(store, before.present);
  let seen = 0;
  for await (const events of verifiedEvents(source)) {
    for (const event of events) await writer.take(event);
    seen += events.length;
    onProgress?.(seen);
  }
  await writer.finish();
  const after = await compare(store, source);
  if (after.present !== after.summary.events) {
    throw new TransferError(
      `Only ${String(after.present)} of ${String(after.summary.events)} events are in the store: import the file again.`,
    );
  }
  return { ...after.summary, alreadyThere: before.present };
}

/**
 * Reads the whole file and, in step with it, the whole store: its events must be the first ones of the file.
 *
 * @returns how many are there.
 */
async function compare(
  store: EventStore,
  source: TransferSource,
): Promise<{ readonly present: number; readonly summary: TransferSummary }> {
  const keepsTimes = store.restore !== undefined;
  const stored = new OneByOne(ownEvents(store));
  try {
    const file = verifiedEvents(source);
    let present = 0;
    for (let page = await file.next(); ; page = await file.next()) {
      if (page.done === true) {
        if ((await stored.next()) !== undefined) throw otherEvents();
        return { present, summary: page.value };
      }
      for (const event of page.value) {
        const there = stored.buffered() ?? (stored.ended ? undefined : await stored.next());
        if (there === undefined) break;
        if (!isSame(there, event, keepsTimes)) throw otherEvents();
        present += 1;
      }
    }
  } finally {
    await stored.close();
  }
}

function isSame(stored: RecordedEvent, event: TransferEvent, withTime: boolean): boolean {
  return (
    stored.id === event.id &&
    stored.stream === event.stream &&
    stored.revision === event.revision &&
    stored.type === event.type &&
    stored.data === event.data &&
    stored.metadata === event.metadata &&
    (!withTime || stored.time === event.time)
  );
}

function otherEvents(): TransferError {
  return new TransferError(
    "The store has events that are not those of the file: import into an empty store, or go on with the file that was begun with.",
  );
}

/** Takes batches apart. */
class OneByOne<T> {
  readonly #batches: AsyncGenerator<readonly T[], void, undefined>;
  #batch: readonly T[] = [];
  #at = 0;
  ended = false;

  constructor(batches: AsyncGenerator<readonly T[], void, undefined>) {
    this.#batches = batches;
  }

  /** The next one if it is at hand: waiting for each would take most of the time. */
  buffered(): T | undefined {
    const value = this.#batch[this.#at];
    if (value !== undefined) this.#at += 1;
    return value;
  }

  async next(): Promise<T | undefined> {
    for (;;) {
      const value = this.buffered();
      if (value !== undefined || this.ended) return value;
      const { value: batch, done } = await this.#batches.next();
      this.ended = done === true;
      this.#batch = batch ?? [];
      this.#at = 0;
    }
  }

  async close(): Promise<void> {
    await this.#batches.return();
  }
}
