import {
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventBatch,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadOptions,
  type RecordedEvent,
} from "@hostledger/store";

/** Fault of one append; `store` carries the append out. */
export type Fault = (store: () => AppendResult) => AppendResult;

/** In-memory streams with a diary of the appends and a plan of faults. */
export class ScriptedStore implements EventStore {
  /** Every append that was asked for, also those that failed. */
  readonly asked: { readonly stream: string; readonly events: readonly EventToAppend[] }[] = [];
  readonly #streams = new Map<string, RecordedEvent[]>();
  readonly #diary: string[];
  readonly #faults: Fault[] = [];

  /** @param diary gets a line for each append: `stored ParcelAccepted ParcelPacked`. */
  constructor(diary: string[] = []) {
    this.#diary = diary;
  }

  /** The next appends meet these, in order; later ones meet nothing. */
  plan(...faults: readonly Fault[]): void {
    this.#faults.push(...faults);
  }

  /** The types of a stream's events. */
  typesOf(stream: string): readonly string[] {
    return this.eventsOf(stream).map(({ type }) => type.replace(/\.v1$/, ""));
  }

  eventsOf(stream: string): readonly RecordedEvent[] {
    return this.#streams.get(stream) ?? [];
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    await Promise.resolve();
    this.asked.push({ stream, events });
    const store = (): AppendResult => this.#store(stream, expected, events);
    return this.#faults.shift()?.(store) ?? store();
  }

  #store(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): AppendResult {
    const stored = this.#streams.get(stream) ?? [];
    const repeated = stored.find(({ id }) => id === events.at(-1)?.id);
    if (repeated !== undefined) return { revision: repeated.revision, position: repeated.position };
    const actual = stored.at(-1)?.revision ?? "no-stream";
    if (expected !== actual) throw new WrongExpectedRevisionError(stream, expected, actual);
    this.#diary.push(["stored", ...events.map(({ type }) => type.replace(/\.v1$/, ""))].join(" "));
    const first = BigInt(stored.length);
    const recorded = events.map((event, index) => {
      const revision = first + BigInt(index);
      return { ...event, stream, revision, position: revision, time: "2026-03-01T10:00:00.000000Z" };
    });
    this.#streams.set(stream, [...stored, ...recorded]);
    const revision = first + BigInt(events.length) - 1n;
    return { revision, position: revision };
  }

  async *read(stream: string, { from = 0n }: ReadOptions = {}): AsyncIterable<RecordedEvent> {
    await Promise.resolve();
    yield* this.eventsOf(stream).filter(({ revision }) => revision >= from);
  }

  subscribe(): AsyncIterable<EventBatch> {
    throw new Error("runs subscribe to nothing");
  }

  lastPosition(): Promise<Position | undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The store answers nothing; whether it stored the append, the spec says. */
export function unavailable({ stored }: { readonly stored: boolean }): Fault {
  return (store) => {
    if (stored) store();
    throw new EventStoreUnavailableError("no answer");
  };
}

/** Refused with this error, nothing stored. */
export function refusedWith(error: Error): Fault {
  return () => {
    throw error;
  };
}
