import { randomUUID } from "node:crypto";

import type { EventBatch, EventStore, EventToAppend, RecordedEvent } from "../event-store.port.ts";

export interface ContractHarness {
  readonly store: EventStore;
  /** Closes the store and opens it again on the same data. */
  readonly reopen?: () => Promise<EventStore>;
  /** True if the engine reports the position of each filtered event to a subscriber at once. */
  readonly tellsPositionsAtOnce?: boolean;
  /** Bytes of the largest append, if the engine counts more than data and metadata. Default: the port's limit. */
  readonly largestAppendBytes?: number;
  close(): Promise<void>;
}

/** Makes an engine, which may already have other streams. */
export type MakeHarness = () => Promise<ContractHarness>;

/** Opens an engine for a test; it is closed after the test. */
export type OpenHarness = () => Promise<ContractHarness>;

/** Makes a unique category for each test, because tests may share an engine. */
export function newCategory(): string {
  return `contract${randomUUID().replaceAll("-", "")}`;
}

export function newEvent(data: unknown = {}): EventToAppend {
  return {
    id: randomUUID(),
    type: "ContractEvent.v1",
    data: JSON.stringify(data),
    metadata: '{"by":"contract"}',
  };
}

export function newEvents(count: number): readonly EventToAppend[] {
  return Array.from({ length: count }, (_, number) => newEvent({ number }));
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** The batches and events that a subscription delivered. */
export interface Heard {
  readonly batches: readonly EventBatch[];
  readonly events: readonly RecordedEvent[];
}

/** Reads a subscription until `enough` returns true, then ends it. */
export async function listen(
  subscription: AsyncIterable<EventBatch>,
  enough: (heard: Heard) => boolean,
): Promise<Heard> {
  const batches: EventBatch[] = [];
  const events: RecordedEvent[] = [];
  for await (const batch of subscription) {
    batches.push(batch);
    events.push(...batch.events);
    if (enough({ batches, events })) break;
  }
  return { batches, events };
}

/** True if the last batch reached the end of the log. */
export function isCaughtUp({ batches }: Heard): boolean {
  return batches.at(-1)?.caughtUp === true;
}
