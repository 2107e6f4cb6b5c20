import {
  EventStoreUnavailableError,
  type AppendResult,
  type EventBatch,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from "../event-store.port.ts";

export interface SeenAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

/** A fault of one append; `store` carries the append out. */
export type Fault = (append: SeenAppend, store: () => Promise<AppendResult>) => Promise<AppendResult>;

/** Wraps a store so that a test can plan a fault for each append. */
export class FaultyStore implements EventStore {
  readonly shared: boolean;
  readonly appends: SeenAppend[] = [];
  reads = 0;
  readonly #below: EventStore;
  readonly #faults: Fault[] = [];

  constructor(below: EventStore, options: { readonly shared?: boolean } = {}) {
    this.shared = options.shared ?? below.shared ?? false;
    this.#below = below;
  }

  /** Plans faults for the next appends, in order; later appends succeed. */
  plan(...faults: readonly Fault[]): void {
    this.#faults.push(...faults);
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    const append = { stream, expected, events };
    this.appends.push(append);
    const store = (): Promise<AppendResult> => this.#below.append(stream, expected, events);
    return this.#faults.shift()?.(append, store) ?? store();
  }

  read(stream: string, options?: ReadOptions): AsyncIterable<RecordedEvent> {
    this.reads += 1;
    return this.#below.read(stream, options);
  }

  subscribe(options: SubscribeOptions): AsyncIterable<EventBatch> {
    return this.#below.subscribe(options);
  }

  lastPosition(): Promise<Position | undefined> {
    return this.#below.lastPosition();
  }

  close(): Promise<void> {
    return this.#below.close();
  }
}

/** Makes the store fail without an answer. The test chooses whether the append is stored. */
export function unavailable(stored: boolean): Fault {
  return async (_, store) => {
    if (stored) await store();
    throw new EventStoreUnavailableError("no answer");
  };
}

export function refusedWith(error: Error): Fault {
  return () => Promise.reject(error);
}

export function after(first: () => Promise<unknown>): Fault {
  return async (_, store) => {
    await first();
    return store();
  };
}
