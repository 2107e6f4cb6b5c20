import { uuidV5 } from "../commands/event-id.ts";
import type { EventStore, RecordedEvent } from "../event-store.port.ts";
import { timesStream } from "./own-events.ts";

/**
 * Stores the original times of imported events, because EventStoreDB sets its own time and data and metadata must not
 * change. The n-th time in the stream belongs to the n-th transferred event. An export reads both in step and writes the
 * original times.
 */

/** Times per event: about 30 KB. */
const timesOfEvent = 1_000;

/** Random namespace of the blocks' ids, so that a repeated import stores each block once. */
const blockNamespace = "b0a51a3e-3c0c-4f0b-8a54-5a0d6f7f2c19";
const storedType = "OriginalTimes.v1";

export class OriginalTimesWriter {
  readonly #store: EventStore;
  #times: string[] = [];
  #blocks = 0;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Takes the time of the next stored event, also for events of an earlier import. */
  async add(time: string): Promise<void> {
    this.#times.push(time);
    if (this.#times.length === timesOfEvent) await this.flush();
  }

  /**
   * Stores the remaining times. After an interrupted import each block is sent again, because the events do not show
   * which blocks are stored; the store ignores repeats.
   */
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

/** Gives the events of a log their original times, in order. */
export class OriginalTimes {
  /** True from the first event without an original time on: the store was not imported, or the event is newer. */
  ended = false;
  readonly #times: AsyncGenerator<string, void, undefined>;

  constructor(store: EventStore) {
    this.#times = originalTimes(store);
  }

  /** Returns the event with its original time, if there is one. */
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
