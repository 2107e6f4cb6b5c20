import type { Worker } from "node:worker_threads";

import { defined } from "@hostledger/runtime";
import { yieldToOthers } from "@hostledger/runtime/async";
import { createLru } from "@hostledger/runtime/lru";

import {
  type AppendResult,
  type EventBatch,
  type EventStore,
  type EventStoreFailedError,
  EventStoreUnavailableError,
  type EventToAppend,
  type EventToRestore,
  type ExpectedRevision,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from "../event-store.port.ts";
import { validateAppend } from "../validate-append.ts";
import { LogReader } from "./log-reader.ts";
import { followLog, Growth } from "./log-subscription.ts";
import { RecentEvents } from "./recent-events.ts";
import { type Commit, startWriter, WriterClient } from "./writer-client.ts";

export interface EmbeddedEventStoreOptions {
  /** The SQLite file, created if missing; its folder must exist. Only one process at a time may open it. */
  readonly path: string;
  /** Returns the present time: ISO 8601 UTC with six fractional digits. */
  readonly now: () => string;
  /**
   * True if others append to the same streams, through a node over this store or in a test: see `EventStore.shared`.
   * Default: false.
   */
  readonly shared?: boolean;
  /** Maximum waiting appends; more are refused with EventStoreOverloadedError. Default: 20,000. */
  readonly queueLimit?: number;
  /** Called after every commit of the writer. */
  readonly onCommitted?: (commit: Commit) => void;
  /**
   * Called once if nothing can be written any more (a failed sync): the process must end and start again. A full disk is
   * no such failure: appends fail with EventStoreUnavailableError until there is space.
   */
  readonly onFailure: (error: EventStoreFailedError) => void;
}

const defaultQueueLimit = 20_000;

/**
 * Opens the embedded engine: SQLite in WAL mode with `synchronous=FULL`. A writer thread commits all waiting appends with
 * one sync. After a crash it opens in the same way, and no acknowledged event is lost.
 * @throws EventStoreFailedError in one sentence: a damaged, foreign, newer or unreachable file.
 */
export async function openEmbeddedEventStore(options: EmbeddedEventStoreOptions): Promise<EventStore> {
  const worker = await startWriter(options.path);
  try {
    return new EmbeddedEventStore(worker, new LogReader(options.path), options);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** Prefix of EventStoreDB's metadata streams. The node asks for one with each new stream, and mostly there are none. */
const metadataPrefix = "$$";

class EmbeddedEventStore implements EventStore {
  readonly shared: boolean;
  readonly #reader: LogReader;
  readonly #recent: RecentEvents;
  /** Complete, because every writer of the store uses this object: only one process has the file. */
  readonly #ends = new StreamEnds();
  readonly #writer: WriterClient;
  readonly #growth = new Growth();
  readonly #closed = new AbortController();

  constructor(worker: Worker, reader: LogReader, options: EmbeddedEventStoreOptions) {
    const lastPosition = reader.lastPosition();
    this.shared = options.shared ?? false;
    this.#reader = reader;
    this.#recent = new RecentEvents(lastPosition);
    if (reader.lastPositionWith([metadataPrefix], 1) === 0) this.#ends.noteUnused(metadataPrefix);
    this.#writer = new WriterClient(worker, {
      lastPosition,
      now: options.now,
      queueLimit: options.queueLimit ?? defaultQueueLimit,
      onFailure: options.onFailure,
      ...defined({ onCommitted: options.onCommitted }),
      onStored: (events) => {
        reader.refresh();
        for (const event of events) this.#recent.push(event);
        this.#ends.note(events);
        if (events.length > 0) this.#growth.announce();
      },
    });
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    return this.#store(stream, expected, events);
  }

  restore(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToRestore[],
  ): Promise<AppendResult> {
    return this.#store(stream, expected, events, events[0]?.time);
  }

  async *read(stream: string, options: ReadOptions = {}): AsyncGenerator<RecordedEvent, void, undefined> {
    const { direction = "forwards", from, limit = Number.MAX_SAFE_INTEGER } = options;
    const step = direction === "forwards" ? 1n : -1n;
    let next = from ?? (direction === "forwards" ? 0n : BigInt(Number.MAX_SAFE_INTEGER));
    let left = limit;
    this.#refuseWhenClosed();
    const last = options.fromLeader === true ? undefined : this.#ends.of(stream);
    if (last === "no-stream") return;
    if (last !== undefined) {
      if (direction === "forwards" && next > last.revision) return;
      if (direction === "backwards" && next >= last.revision && limit === 1) {
        yield last;
        return;
      }
    }
    while (left > 0) {
      this.#refuseWhenClosed();
      const page = this.#reader.streamPage(stream, direction, clampRevision(next), left);
      // The last event of the stream ends the last page forwards and begins the first page backwards.
      const isAtEnd = direction === "forwards" ? page.complete : from === undefined && left === limit;
      const end = page.events.at(direction === "forwards" ? -1 : 0);
      if (isAtEnd && end !== undefined) this.#ends.note([end]);
      if (from === undefined && page.complete && page.events.length === 0 && left === limit)
        this.#ends.noteMissing(stream);
      for (const event of page.events) {
        yield event;
        next = event.revision + step;
      }
      left -= page.events.length;
      if (page.complete) return;
      await yieldToOthers();
    }
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<EventBatch, void, undefined> {
    this.#refuseWhenClosed();
    const ends = [this.#closed.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const log = { reader: this.#reader, recent: this.#recent, growth: this.#growth };
    yield* followLog(log, options, AbortSignal.any(ends));
  }

  async lastPosition(): Promise<Position | undefined> {
    this.#refuseWhenClosed();
    const last = this.#reader.lastPosition();
    return Promise.resolve(last === 0 ? undefined : BigInt(last));
  }

  async lastTime(): Promise<string | undefined> {
    this.#refuseWhenClosed();
    return Promise.resolve(this.#reader.lastTime());
  }

  /**
   * Closes the reader first, because the last connection to close checkpoints the write-ahead log, which only the writer
   * can do.
   */
  async close(): Promise<void> {
    const alreadyClosed = this.#closed.signal.aborted;
    this.#closed.abort();
    if (!alreadyClosed) this.#reader.close();
    await this.#writer.close();
  }

  #store(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
    time?: string,
  ): Promise<AppendResult> {
    try {
      validateAppend(stream, expected, events);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    return this.#writer.append(stream, expected, events, time);
  }

  #refuseWhenClosed(): void {
    if (this.#closed.signal.aborted) throw new EventStoreUnavailableError("the event store is closed");
  }
}

/** Limits a revision to exact numbers; no stream is that long. */
function clampRevision(revision: bigint): number {
  if (revision < 0n) return -1;
  return revision > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(revision);
}

const streamLimit = 10_000;
/** Maximum characters of data and metadata of a cached event; with the limit above, 40 MB in total. */
const eventCharacters = 4_096;

/**
 * Caches the last events of streams, and which streams have none. On a shared store most decisions check a stream for new
 * events and mostly find none. The cache saves reading the file for that.
 */
export class StreamEnds {
  readonly #last = createLru<string, RecordedEvent | "no-stream">(streamLimit);
  /** Prefixes with which no stream's name starts. */
  readonly #unused = new Set<string>();

  /** @param events newly stored events in order, or the last event of a stream after a read. */
  note(events: Iterable<RecordedEvent>): void {
    for (const event of events) {
      for (const prefix of this.#unused) if (event.stream.startsWith(prefix)) this.#unused.delete(prefix);
      // A read may return an event before the writer reports it as stored.
      const known = this.of(event.stream);
      if (known !== undefined && known !== "no-stream" && event.revision < known.revision) continue;
      if (event.data.length + event.metadata.length <= eventCharacters) this.#last.set(event.stream, event);
      else this.#last.delete(event.stream);
    }
  }

  /** Notes that the file has no event of the stream. The first stored event replaces this note. */
  noteMissing(stream: string): void {
    this.#last.set(stream, "no-stream");
  }

  /** Notes that the file has no stream with this prefix. */
  noteUnused(prefix: string): void {
    this.#unused.add(prefix);
  }

  /** Returns the last event of a stream; undefined if the file must be read. */
  of(stream: string): RecordedEvent | "no-stream" | undefined {
    for (const prefix of this.#unused) if (stream.startsWith(prefix)) return "no-stream";
    return this.#last.get(stream);
  }
}
