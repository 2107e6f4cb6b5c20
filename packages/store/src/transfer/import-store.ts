import { createHash } from "node:crypto";

import { type EventStore, InvalidAppendError, type RecordedEvent } from "../event-store.port.ts";
import { cutOff, fileLines, type TransferSource } from "./file-lines.ts";
import { ImportWriter } from "./import-writer.ts";
import { ownEvents } from "./own-events.ts";
import { TransferError } from "./transfer-error.ts";
import {
  damaged,
  isTrailer,
  readEvent,
  readHeader,
  trailerLine,
  type TransferEvent,
  type TransferSummary,
} from "./transfer-file.codec.ts";
import { validateAppend } from "../validate-append.ts";
import { LogOrder } from "./log-order.ts";

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
    "The store has events that are not those of the file: import into an empty store, or continue with the file that was used first.",
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

/**
 * Reads the events of a file in batches and checks everything: format, version, order, the rules of every store, and at
 * the end the counts and the checksum. The file is verified only after the iteration has ended normally.
 * @returns summary of the file.
 * @throws TransferError in one sentence: foreign, newer, damaged or cut off.
 */
async function* verifiedEvents(
  source: TransferSource,
): AsyncGenerator<readonly TransferEvent[], TransferSummary, undefined> {
  const reader = new FileReader();
  for await (const lines of fileLines(source)) {
    const events: TransferEvent[] = [];
    for (const line of lines) reader.take(line, events);
    if (events.length > 0) yield events;
  }
  return reader.summary();
}

class FileReader {
  readonly #hash = createHash("sha256");
  readonly #order = new LogOrder();
  #lines = 0;
  #summary: TransferSummary | undefined;

  take(line: string, events: TransferEvent[]): void {
    this.#lines += 1;
    if (this.#summary !== undefined) throw damaged(this.#lines, "it comes after the last one");
    if (this.#lines === 1) readHeader(line);
    else if (isTrailer(line)) {
      this.#end(line);
      return;
    } else events.push(this.#event(line));
    this.#hash.update(line).update("\n");
  }

  /** @throws TransferError the last line is missing. */
  summary(): TransferSummary {
    if (this.#summary === undefined) throw cutOff();
    return this.#summary;
  }

  #event(line: string): TransferEvent {
    const event = readEvent(line, this.#lines);
    const broken = this.#order.brokenBy(event);
    if (broken !== undefined) throw damaged(this.#lines, broken);
    try {
      validateAppend(event.stream, "any", [event]);
    } catch (error) {
      if (error instanceof InvalidAppendError) throw damaged(this.#lines, error.message);
      throw error;
    }
    return event;
  }

  #end(line: string): void {
    const summary: TransferSummary = {
      events: this.#lines - 2,
      streams: this.#order.streams,
      sha256: this.#hash.digest("hex"),
    };
    if (`${line}\n` !== trailerLine(summary)) {
      throw new TransferError(
        "The file is damaged: its counts or its checksum are not those of its last line. Export again, or copy it again.",
      );
    }
    this.#summary = summary;
  }
}
