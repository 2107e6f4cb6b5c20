import {
  WrongExpectedRevisionError,
  type AppendResult,
  type EventBatch,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from "@hostledger/store";

/** A small event store for specs of log readers: in memory, without idempotency. */
export class InMemoryEventStore implements EventStore {
  readonly #log: RecordedEvent[] = [];
  readonly #closed = new AbortController();
  #appended = Promise.withResolvers<undefined>();

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    let revision = BigInt(this.#log.filter((event) => event.stream === stream).length) - 1n;
    if (typeof expected === "bigint" && expected !== revision) {
      throw new WrongExpectedRevisionError(stream, expected, revision);
    }
    for (const event of events) {
      revision++;
      const position = BigInt(this.#log.length);
      this.#log.push({ ...event, stream, revision, position, time: "2026-01-31T12:00:00.000000Z" });
    }
    const appended = this.#appended;
    this.#appended = Promise.withResolvers();
    appended.resolve(undefined);
    return Promise.resolve({ revision, position: BigInt(this.#log.length) - 1n });
  }

  async *read(stream: string, options: ReadOptions = {}): AsyncIterable<RecordedEvent> {
    await Promise.resolve();
    const { direction = "forwards", from, limit } = options;
    const all = this.#log.filter((event) => event.stream === stream);
    const asked =
      direction === "forwards"
        ? all.filter(({ revision }) => revision >= (from ?? 0n))
        : all.filter(({ revision }) => from === undefined || revision <= from).toReversed();
    yield* asked.slice(0, limit);
  }

  async *subscribe({ from, streamPrefixes = [""], signal }: SubscribeOptions): AsyncIterable<EventBatch> {
    const ended = AbortSignal.any([this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
    const end = new Promise<undefined>((resolve) => {
      ended.addEventListener("abort", () => {
        resolve(undefined);
      });
    });
    let next = from === "start" ? 0 : from === "end" ? this.#log.length : Number(from) + 1;
    while (!ended.aborted) {
      const appended = this.#appended.promise;
      const seen = this.#log.slice(next);
      next = this.#log.length;
      const events = seen.filter(({ stream }) => streamPrefixes.some((prefix) => stream.startsWith(prefix)));
      yield { events, position: BigInt(next) - 1n, caughtUp: true };
      if (next === this.#log.length) await Promise.race([appended, end]);
    }
  }

  lastPosition(): Promise<Position | undefined> {
    return Promise.resolve(this.#log.at(-1)?.position);
  }

  close(): Promise<void> {
    this.#closed.abort();
    return Promise.resolve();
  }
}
