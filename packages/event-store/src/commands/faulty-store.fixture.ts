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

/** An append as the store below was asked for it. */
export interface SeenAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

/** What goes wrong with one append; `store` carries it out below. */
export type Fault = (append: SeenAppend, store: () => Promise<AppendResult>) => Promise<AppendResult>;

/** A store over another one in which a test plans what goes wrong, append by append. */
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

  /** The next appends meet these, in order; later ones meet nothing. */
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

/** The store answers nothing; whether it stored the append, the test says. */
export function unavailable(stored: boolean): Fault {
  return async (_, store) => {
    if (stored) await store();
    throw new EventStoreUnavailableError("no answer");
  };
}

/** Refused with this error, nothing stored. */
export function refusedWith(error: Error): Fault {
  return () => Promise.reject(error);
}

/** Somebody else does something first. */
export function after(first: () => Promise<unknown>): Fault {
  return async (_, store) => {
    await first();
    return store();
  };
}
