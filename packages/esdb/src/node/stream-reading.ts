import { status } from "@grpc/grpc-js";
import { EventStoreUnavailableError, type RecordedEvent } from "@hostledger/store";

import type { ResolvedEvent } from "../codec/read-answer.codec.ts";
import type { Begin } from "../codec/read-request.codec.ts";
import { Refusal, streamDeleted } from "../codec/refusal.ts";
import { fromStoredText, linkType } from "../codec/wire-values.codec.ts";
import type { ReadableStore, StreamEvents, StreamEventsReader } from "./stream-events.ts";

/** Events per answer of a generator; larger batches need fewer turns of the event loop. */
const runLimit = 256;
/** Events per step backwards through the log. */
const backwardsStep = 1_000n;

export interface Reading {
  readonly from: Begin;
  readonly backwards: boolean;
  readonly limit: number;
}

/** The stream has no visible event. */
export class StreamNotFoundError extends Error {
  override readonly name = "StreamNotFoundError";
}

/** Reads by EventStoreDB's rules: metadata hides events, and deleted streams are errors. */
export class StreamReading {
  readonly #store: ReadableStore;
  readonly #events: StreamEventsReader;

  constructor(store: ReadableStore, events: StreamEventsReader) {
    this.#store = store;
    this.#events = events;
  }

  /**
   * Batches of a stream's events.
   * @throws StreamNotFoundError if it is missing or soft-deleted.
   * @throws Refusal if it is tombstoned.
   */
  async *stream(stream: string, reading: Reading): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
    // Checked first, so that the caller learns nothing about the stream.
    if ((await this.#events.last(stream)) === undefined) throw new StreamNotFoundError();
    const events = await this.#events.of(stream);
    if (events.tombstoned) throw streamDeleted(stream);
    if (events.softDeleted) throw new StreamNotFoundError();
    yield* this.visible(stream, events, reading);
  }

  /** Batches of the events that metadata does not hide. */
  async *visible(
    stream: string,
    events: StreamEvents,
    { from, backwards, limit }: Reading,
  ): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
    if (!backwards && from === "end") return;
    const first = await this.#firstVisible(stream, events);
    const oldest = events.maxAgeSeconds === undefined ? 0 : Date.now() - events.maxAgeSeconds * 1_000;
    const begin = beginning(from, backwards, first);
    let run: RecordedEvent[] = [];
    let left = limit;
    const direction = backwards ? "backwards" : "forwards";
    for await (const event of this.#store.read(stream, { direction, ...begin })) {
      if (event.revision < first) break;
      if (oldest > 0 && Date.parse(event.time) < oldest) continue;
      run.push(event);
      left -= 1;
      if (left <= 0) break;
      if (run.length < runLimit) continue;
      yield run;
      run = [];
    }
    if (run.length > 0) yield run;
  }

  async #firstVisible(stream: string, events: StreamEvents): Promise<bigint> {
    if (events.maxCount === undefined) return events.truncateBefore;
    const last = (await this.#events.last(stream))?.revision ?? -1n;
    const kept = last - BigInt(Math.trunc(events.maxCount)) + 1n;
    return kept > events.truncateBefore ? kept : events.truncateBefore;
  }

  /** Batches of matching events of the log, up to its end at the start of the read. */
  async *all(
    { from, backwards, limit }: Reading,
    matches: (event: RecordedEvent) => boolean,
  ): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
    const end = await this.#store.lastPosition();
    if (end === undefined || limit <= 0) return;
    if (typeof from === "bigint" && from > end) throw unknownPosition(from);
    let left = limit;
    const runs = backwards ? this.#allBackwards(from, end) : this.#allForwards(from, end);
    for await (const events of runs) {
      const run = events.filter(matches).slice(0, left);
      left -= run.length;
      if (run.length > 0) yield run;
      if (left <= 0) return;
    }
  }

  async *#allForwards(from: Begin, end: bigint): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
    if (from === "end") return;
    const after = from === "start" || from === 0n ? "start" : from - 1n;
    if (after !== "start" && after >= end) return;
    for await (const { events, position } of this.#store.subscribe({ from: after })) {
      yield position > end ? events.filter((event) => event.position <= end) : events;
      if (position >= end) return;
    }
    // Following the log has no end of its own: the store was closed, so the read is incomplete.
    throw new EventStoreUnavailableError("the event store was closed while it was read");
  }

  /** The port only reads forwards, so the log is read in steps from its end; a step with gaps has fewer events. */
  async *#allBackwards(from: Begin, end: bigint): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
    if (from === "start") return;
    let upTo = from === "end" ? end : from - 1n;
    if (upTo > end) upTo = end;
    while (upTo > 0n) {
      const after = upTo > backwardsStep ? upTo - backwardsStep : 0n;
      const step: RecordedEvent[] = [];
      for await (const events of this.#allForwards(after + 1n, upTo)) step.push(...events);
      yield step.reverse();
      upTo = after;
    }
  }

  /** Returns the target of a link; other events are returned as they are. */
  async resolve(event: RecordedEvent, resolveLinks: boolean): Promise<ResolvedEvent> {
    if (!resolveLinks || event.type !== linkType) return { event, link: undefined };
    const [revision, ...name] = Buffer.from(fromStoredText(event.data).bytes).toString("utf8").split("@");
    const known = this.#store.targetOf(event);
    if (known !== undefined && hidesNothing(await this.#events.of(known.stream)))
      return { event: known, link: event };
    if (revision === undefined || !/^\d{1,19}$/.test(revision)) return { event: undefined, link: event };
    const target = name.join("@");
    const events = await this.#events.of(target);
    if (events.tombstoned || events.softDeleted) return { event: undefined, link: event };
    const reading = { from: BigInt(revision), backwards: false, limit: 1 };
    for await (const [found] of this.visible(target, events, reading)) {
      return { event: found?.revision === reading.from ? found : undefined, link: event };
    }
    return { event: undefined, link: event };
  }
}

function hidesNothing({
  maxAgeSeconds,
  maxCount,
  softDeleted,
  tombstoned,
  truncateBefore,
}: StreamEvents): boolean {
  const limited = truncateBefore > 0n || maxCount !== undefined || maxAgeSeconds !== undefined;
  return !(limited || softDeleted || tombstoned);
}

function beginning(from: Begin, backwards: boolean, first: bigint): { readonly from?: bigint } {
  if (from === "end") return {};
  if (from === "start") return backwards ? { from: 0n } : { from: first };
  return { from: !backwards && from < first ? first : from };
}

function unknownPosition(position: bigint): Refusal {
  return new Refusal(
    status.INVALID_ARGUMENT,
    `position ${String(position)} is beyond the end of the log: it was given by another store`,
  );
}
