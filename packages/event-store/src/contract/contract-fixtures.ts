import { randomUUID } from "node:crypto";

import type { EventBatch, EventStore, EventToAppend, RecordedEvent } from "../event-store.port.ts";

/** An engine under test. */
export interface ContractHarness {
  readonly store: EventStore;
  /** Closes the store and opens it again on the same data. */
  readonly reopen?: () => Promise<EventStore>;
  /** True for an engine that tells a subscriber at once of each event that its filter leaves out. */
  readonly tellsPositionsAtOnce?: boolean;
  /** Bytes of the largest append, when the engine counts more than data and metadata. Default: the port's limit. */
  readonly largestAppendBytes?: number;
  close(): Promise<void>;
}

/** Makes an engine; it may hold other streams already. */
export type MakeHarness = () => Promise<ContractHarness>;

/** Gives a test an engine that is closed after it. */
export type OpenHarness = () => Promise<ContractHarness>;

/** A category of its own for each test, since an engine may be shared. */
export function newCategory(): string {
  return `contract${randomUUID().replaceAll("-", "")}`;
}

/** An event that no test has used. */
export function newEvent(data: unknown = {}): EventToAppend {
  return {
    id: randomUUID(),
    type: "ContractEvent.v1",
    data: JSON.stringify(data),
    metadata: '{"by":"contract"}',
  };
}

/** So many of them, numbered in their data. */
export function newEvents(count: number): readonly EventToAppend[] {
  return Array.from({ length: count }, (_, number) => newEvent({ number }));
}

/** All that an iteration yields. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** What a subscription said until `enough` held. */
export interface Heard {
  readonly batches: readonly EventBatch[];
  readonly events: readonly RecordedEvent[];
}

/** Listens until it has heard enough, then ends the iteration. */
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

/** True when the last batch reached the end of the log. */
export function isCaughtUp({ batches }: Heard): boolean {
  return batches.at(-1)?.caughtUp === true;
}
