import { createLru } from "@hostledger/runtime/lru";

import type { RecordedEvent } from "../event-store.port.ts";

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
