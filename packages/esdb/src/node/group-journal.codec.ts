import { randomUUID } from "node:crypto";

import type { EventStore, RecordedEvent } from "@hostledger/store";

import { linkType, metadataType } from "../codec/wire-values.codec.ts";
import type { StreamEventsReader } from "./stream-events.ts";
import type { StreamReading } from "./stream-reading.ts";
import type { GroupMessage } from "./group-consumers.ts";

/**
 * State of a group across restarts, as events of system streams: its checkpoint, and links to its parked messages.
 */
export class GroupJournal {
  readonly #store: EventStore;
  readonly #events: StreamEventsReader;
  readonly #reading: StreamReading;
  readonly #checkpoints: string;
  readonly parkedStream: string;

  constructor(
    store: EventStore,
    events: StreamEventsReader,
    reading: StreamReading,
    source: string,
    group: string,
  ) {
    this.#store = store;
    this.#events = events;
    this.#reading = reading;
    this.#checkpoints = `$persistentsubscription-${source}::${group}-checkpoint`;
    this.parkedStream = `$persistentsubscription-${source}::${group}-parked`;
  }

  async lastCheckpoint(): Promise<bigint | undefined> {
    const last = await this.#events.last(this.#checkpoints);
    return last?.type === "$SubscriptionCheckpoint" ? BigInt(JSON.parse(last.data) as string) : undefined;
  }

  async checkpoint(at: bigint): Promise<void> {
    await this.#write(this.#checkpoints, "$SubscriptionCheckpoint", JSON.stringify(String(at)));
  }

  async park(event: RecordedEvent, reason: string): Promise<void> {
    const link = `${String(event.revision)}@${event.stream}`;
    await this.#write(this.parkedStream, linkType, link, JSON.stringify({ reason }));
  }

  async parkedCount(): Promise<bigint> {
    const last = (await this.#events.last(this.parkedStream))?.revision ?? -1n;
    const { truncateBefore } = await this.#events.of(this.parkedStream);
    return last + 1n > truncateBefore ? last + 1n - truncateBefore : 0n;
  }

  /** Removes the oldest parked messages, up to a number. */
  async unpark(limit: number): Promise<readonly GroupMessage[]> {
    const events = await this.#events.of(this.parkedStream);
    const messages: GroupMessage[] = [];
    let next = events.truncateBefore;
    for await (const run of this.#reading.visible(this.parkedStream, events, {
      from: "start",
      backwards: false,
      limit,
    })) {
      for (const link of run) {
        next = link.revision + 1n;
        const { event } = await this.#reading.resolve(link, true);
        if (event === undefined) continue;
        const resolved = { event, link: undefined };
        messages.push({ resolved, id: event.id, at: 0n, before: 0n, replayed: true, retries: 0 });
      }
    }
    await this.#truncateParked(next);
    return messages;
  }

  /** Deletes all state, so that a new group with the same name starts afresh. */
  async end(): Promise<void> {
    await this.#write(this.#checkpoints, "$SubscriptionEnded", "{}");
    const last = (await this.#events.last(this.parkedStream))?.revision;
    if (last !== undefined) await this.#truncateParked(last + 1n);
  }

  async #truncateParked(before: bigint): Promise<void> {
    await this.#write(`$$${this.parkedStream}`, metadataType, JSON.stringify({ $tb: Number(before) }));
    this.#events.forget(this.parkedStream);
  }

  async #write(stream: string, type: string, data: string, metadata = ""): Promise<void> {
    await this.#store.append(stream, "any", [{ id: randomUUID(), type, data, metadata }]);
  }
}
