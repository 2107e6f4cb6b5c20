import type { EventStore, RecordedEvent } from "../event-store.port.ts";
import type { TransferSource } from "./file-lines.ts";
import { ImportWriter } from "./import-writer.ts";
import { ownEvents } from "./own-events.ts";
import { TransferError } from "./transfer-error.ts";
import type { TransferEvent, TransferSummary } from "./transfer-file.codec.ts";
import { verifiedEvents } from "./verified-events.ts";

export interface ImportOptions {
  /** Called from time to time with the number of stored events. */
  readonly onProgress?: (events: number) => void;
}

export interface ImportSummary extends TransferSummary {
  /** Events that an earlier, interrupted import of the file had stored. */
  readonly alreadyThere: number;
}

/**
 * Stores the events of a file in an empty store, with their ids, order, data and metadata. If the engine has `restore`,
 * events keep their times; otherwise the times are stored beside them. The whole file is checked before the first write,
 * and the store is read back at the end. An interrupted import can be run again and continues.
 * @throws TransferError the file is foreign, newer, damaged or cut off, or the store has other events (nothing was
 * written), or another program wrote to the store meanwhile.
 * @throws Error any error of the store or the source (Node's codes): run it again.
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
 * Reads the whole file and the whole store in step, and checks that the store's events are the first of the file.
 * @returns number of events in the store.
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

class OneByOne<T> {
  readonly #batches: AsyncGenerator<readonly T[], void, undefined>;
  #batch: readonly T[] = [];
  #at = 0;
  ended = false;

  constructor(batches: AsyncGenerator<readonly T[], void, undefined>) {
    this.#batches = batches;
  }

  /** Returns the next item if it is buffered, because awaiting each would take most of the time. */
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
