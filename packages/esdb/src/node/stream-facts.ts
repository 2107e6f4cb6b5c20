import type { EventStore, RecordedEvent } from "@hostledger/store";
import { createLru } from "@hostledger/runtime";

import { deletedRevision, metadataType, tombstoneType } from "../codec/wire-values.codec.ts";

/** What a stream's metadata and tombstone say of what may be read of it. */
export interface StreamFacts {
  readonly tombstoned: boolean;
  readonly softDeleted: boolean;
  /** Revisions below it are gone. */
  readonly truncateBefore: bigint;
  readonly maxCount: number | undefined;
  readonly maxAgeSeconds: number | undefined;
}

const nothingSaid: StreamFacts = {
  tombstoned: false,
  softDeleted: false,
  truncateBefore: 0n,
  maxCount: undefined,
  maxAgeSeconds: undefined,
};

/** What reading takes: the store's own streams, and those of links. */
export interface ReadableStore extends Pick<EventStore, "shared" | "read" | "subscribe" | "lastPosition"> {
  /** The event of the log for which a link that was just read was made; undefined where it is to be looked for. */
  targetOf(link: RecordedEvent): RecordedEvent | undefined;
}

/** Streams whose facts are kept in memory. */
const cacheLimit = 10_000;

/**
 * What is known of streams beyond their events. Metadata of `s` is the last event of `$$s`, a tombstone the last event
 * of `s` itself, as in EventStoreDB. Only the node writes these two, so it may remember what it read until it writes, unless other
 * processes append to the same store.
 */
export class StreamFactsReader {
  readonly #store: ReadableStore;
  readonly #known = createLru<string, StreamFacts>(cacheLimit);
  /** Counts what was forgotten, so that a reading from before does not come back after. */
  #version = 0;

  constructor(store: ReadableStore) {
    this.#store = store;
  }

  async of(stream: string): Promise<StreamFacts> {
    if (stream.startsWith("$$")) {
      const { tombstoned } = await this.of(stream.slice(2));
      return { ...nothingSaid, tombstoned, maxCount: 1 };
    }
    const known = this.#known.get(stream);
    if (known !== undefined) return known;
    const version = this.#version;
    const facts = await this.#read(stream);
    if (version === this.#version && this.#store.shared !== true) this.#known.set(stream, facts);
    return facts;
  }

  /** What is known of a stream that is taken for new: its last event is not looked for, so that it is no tombstone if it has none. */
  async ofNew(stream: string): Promise<StreamFacts> {
    return this.#known.get(stream) ?? factsOf(await this.last(`$$${stream}`));
  }

  /** Call it when such a stream has turned out to be new. */
  remember(stream: string, facts: StreamFacts): void {
    if (this.#store.shared !== true) this.#known.set(stream, facts);
  }

  /** Call it when an event that says something of the stream was stored. */
  forget(stream: string): void {
    this.#version += 1;
    this.#known.delete(stream.startsWith("$$") ? stream.slice(2) : stream);
  }

  async last(stream: string): Promise<RecordedEvent | undefined> {
    for await (const event of this.#store.read(stream, { direction: "backwards", limit: 1 })) return event;
    return undefined;
  }

  async #read(stream: string): Promise<StreamFacts> {
    const [metadata, last] = await Promise.all([this.last(`$$${stream}`), this.last(stream)]);
    return { ...factsOf(metadata), tombstoned: last?.type === tombstoneType };
  }
}

/** Whether the event is the metadata by which a stream was deleted and may begin again. */
export function isSoftDeletion(event: RecordedEvent): boolean {
  return factsOf(event).softDeleted;
}

function factsOf(metadata: RecordedEvent | undefined): StreamFacts {
  if (metadata?.type !== metadataType) return nothingSaid;
  const said = parse(metadata.data);
  const before = numberOf(said, "$tb") ?? 0;
  // JSON.parse rounds the largest 64-bit integer up; nothing else comes near it.
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
