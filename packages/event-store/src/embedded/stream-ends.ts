import { createLru } from "@hostledger/runtime/lru";

import type { RecordedEvent } from "../event-store.port.ts";

/** Streams of which the last event is kept. */
const streamLimit = 10_000;
/** Characters of data and metadata of an event that is kept; with the limit above, 40 MB at most. */
const eventCharacters = 4_096;

/**
 * The last events of streams in memory, and which streams have none. Who asks whether others have written to a stream, which is
 * asked of a shared store before most decisions, mostly hears that nobody has: the file is not looked at for that.
 */
export class StreamEnds {
  readonly #last = createLru<string, RecordedEvent | "no-stream">(streamLimit);
  /** No stream's name starts with these. */
  readonly #unused = new Set<string>();

  /** @param events that were stored just now, in their order; or the last one of a stream, as it was read. */
  note(events: Iterable<RecordedEvent>): void {
    for (const event of events) {
      for (const prefix of this.#unused) if (event.stream.startsWith(prefix)) this.#unused.delete(prefix);
      // What was read may be ahead of what is told to be stored.
      const known = this.of(event.stream);
      if (known !== undefined && known !== "no-stream" && event.revision < known.revision) continue;
      if (event.data.length + event.metadata.length <= eventCharacters) this.#last.set(event.stream, event);
      else this.#last.delete(event.stream);
    }
  }

  /** Call it when the file was read and has no event of the stream; the first that is stored says otherwise. */
  noteMissing(stream: string): void {
    this.#last.set(stream, "no-stream");
  }

  /** The same of all streams whose names start so. */
  noteUnused(prefix: string): void {
    this.#unused.add(prefix);
  }

  /** The last event of a stream; undefined where it is to be looked for. */
  of(stream: string): RecordedEvent | "no-stream" | undefined {
    for (const prefix of this.#unused) if (stream.startsWith(prefix)) return "no-stream";
    return this.#last.get(stream);
  }
}
