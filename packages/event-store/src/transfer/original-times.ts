import { uuidV5 } from "../commands/event-id.ts";
import type { EventStore, RecordedEvent } from "../event-store.port.ts";
import { timesStream } from "./own-events.ts";

/**
 * EventStoreDB stamps an event with the time at which it takes it in, and data and metadata may not be touched. So the
 * times of imported events are kept in a stream beside them: the n-th time in it is that of the n-th event that a
 * transfer carries. An export reads both in step, and what it writes has the original times again.
 */

/** Times in one event: about 30 KB. */
const timesOfEvent = 1_000;

/** Drawn once at random. The ids in it are those of the blocks, so that a repeated import writes each once. */
const blockNamespace = "b0a51a3e-3c0c-4f0b-8a54-5a0d6f7f2c19";
const storedType = "OriginalTimes.v1";

/** Writes the times of imported events. */
export class OriginalTimesWriter {
  readonly #store: EventStore;
  #times: string[] = [];
  #blocks = 0;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Takes the time of the next event, which is stored. Call it for events of the earlier import too. */
  async add(time: string): Promise<void> {
    this.#times.push(time);
    if (this.#times.length === timesOfEvent) await this.flush();
  }

  /** Stores what is left. Of what an earlier import has stored each block is a repeat: the events alone do not say which are there. */
  async flush(): Promise<void> {
    if (this.#times.length === 0) return;
    const times = this.#times;
    const block = this.#blocks;
    this.#times = [];
    this.#blocks += 1;
    const id = uuidV5(blockNamespace, `${String(block)}\n${times.join("\n")}`);
    const event = { id, type: storedType, data: JSON.stringify({ times }), metadata: "{}" };
    await this.#store.append(timesStream, block === 0 ? "no-stream" : BigInt(block - 1), [event]);
  }
}

/** Gives the events of a log their original times, one after the other. */
export class OriginalTimes {
  /** True from the first event on that has none: the store was not imported, or this was stored later. */
  ended = false;
  readonly #times: AsyncGenerator<string, void, undefined>;

  constructor(store: EventStore) {
    this.#times = originalTimes(store);
  }

  /** The next event of the log, with its original time when it has one. */
  async restored(event: RecordedEvent): Promise<RecordedEvent> {
    const next = await this.#times.next();
    if (next.done !== true) return { ...event, time: next.value };
    this.ended = true;
    return event;
  }
}

async function* originalTimes(store: EventStore): AsyncGenerator<string, void, undefined> {
  for await (const { type, data } of store.read(timesStream)) {
    if (type !== storedType) continue;
    yield* timesIn(JSON.parse(data));
  }
}

function timesIn(data: unknown): readonly string[] {
  const times: unknown =
    typeof data === "object" && data !== null && "times" in data ? data.times : undefined;
  if (!Array.isArray(times)) throw new TypeError(`the stream ${timesStream} holds something else than times`);
  return times.map(String);
}
