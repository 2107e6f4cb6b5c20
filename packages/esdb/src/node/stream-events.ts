import type { EventStore, RecordedEvent } from "@hostledger/store";
import { createLru } from "@hostledger/runtime";

import { deletedRevision, metadataType, tombstoneType } from "../codec/wire-values.codec.ts";

/** Visibility of a stream's events, by its metadata and tombstone. */
export interface StreamEvents {
  readonly tombstoned: boolean;
  readonly softDeleted: boolean;
  /** Events below this revision are hidden. */
  readonly truncateBefore: bigint;
  readonly maxCount: number | undefined;
  readonly maxAgeSeconds: number | undefined;
}

const nothingSaid: StreamEvents = {
  tombstoned: false,
  softDeleted: false,
  truncateBefore: 0n,
  maxCount: undefined,
  maxAgeSeconds: undefined,
};

/** Dependencies of reading: the store's own streams, and streams of links. */
export interface ReadableStore extends Pick<EventStore, "shared" | "read" | "subscribe" | "lastPosition"> {
  /** Target of a link that was just read; undefined if it must be looked up. */
  targetOf(link: RecordedEvent): RecordedEvent | undefined;
}

/** Maximum streams with cached visibility. */
const cacheLimit = 10_000;

/**
 * Metadata and tombstones of streams. Metadata of `s` is the last event of `$$s`, a tombstone the last event of `s`,
 * as in EventStoreDB. Only the node writes these events, so it caches them until its next write, unless other
 * processes append to the same store.
 */
export class StreamEventsReader {
  readonly #store: ReadableStore;
  readonly #known = createLru<string, StreamEvents>(cacheLimit);
  /** Counts cache resets, so that an older read does not fill the cache again. */
  #version = 0;

  constructor(store: ReadableStore) {
    this.#store = store;
  }

  async of(stream: string): Promise<StreamEvents> {
    if (stream.startsWith("$$")) {
      const { tombstoned } = await this.of(stream.slice(2));
      return { ...nothingSaid, tombstoned, maxCount: 1 };
    }
    const known = this.#known.get(stream);
    if (known !== undefined) return known;
    const version = this.#version;
    const events = await this.#read(stream);
    if (version === this.#version && this.#store.shared !== true) this.#known.set(stream, events);
    return events;
  }

  /**
   * Returns the visibility of a stream that is assumed to be new. Its last event is not read, so a tombstone is not
   * noticed.
   */
  async ofNew(stream: string): Promise<StreamEvents> {
    return this.#known.get(stream) ?? eventsOf(await this.last(`$$${stream}`));
  }

  /** Called when such a stream has turned out to be new. */
  remember(stream: string, events: StreamEvents): void {
    if (this.#store.shared !== true) this.#known.set(stream, events);
  }

  /** Called when metadata or a tombstone of the stream was stored. */
  forget(stream: string): void {
    this.#version += 1;
    this.#known.delete(stream.startsWith("$$") ? stream.slice(2) : stream);
  }

  async last(stream: string): Promise<RecordedEvent | undefined> {
    for await (const event of this.#store.read(stream, { direction: "backwards", limit: 1 })) return event;
    return undefined;
  }

  async #read(stream: string): Promise<StreamEvents> {
    const [metadata, last] = await Promise.all([this.last(`$$${stream}`), this.last(stream)]);
    return { ...eventsOf(metadata), tombstoned: last?.type === tombstoneType };
  }
}

/** True if the event is metadata that deletes a stream, which may then start again. */
export function isSoftDeletion(event: RecordedEvent): boolean {
  return eventsOf(event).softDeleted;
}

function eventsOf(metadata: RecordedEvent | undefined): StreamEvents {
  if (metadata?.type !== metadataType) return nothingSaid;
  const said = parse(metadata.data);
  const before = numberOf(said, "$tb") ?? 0;
  // JSON.parse rounds the largest 64-bit integer up; no other value is near it.
  const softDeleted = before >= Number(deletedRevision);
  return {
    tombstoned: false,
    softDeleted,
    truncateBefore: softDeleted ? deletedRevision : BigInt(Math.trunc(before)),
    maxCount: numberOf(said, "$maxCount"),
    maxAgeSeconds: numberOf(said, "$maxAge"),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numberOf(said: unknown, name: string): number | undefined {
  if (typeof said !== "object" || said === null) return undefined;
  const value: unknown = Reflect.get(said, name);
  return typeof value === "number" && value >= 0 ? value : undefined;
}
