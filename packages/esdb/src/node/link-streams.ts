import {
  EventStoreUnavailableError,
  type EventStore,
  type ReadOptions,
  type RecordedEvent,
} from "@hostledger/store";
import { createLru, defined } from "@hostledger/runtime";

import type { Begin } from "../codec/read-request.codec.ts";
import { linkType } from "../codec/wire-values.codec.ts";
import { linkSourceOf, linkTo, type LinkSource } from "./link-source.ts";

/** Maximum streams of links with cached positions. */
const streamLimit = 64;
/** Positions between two cached positions. */
const stride = 2_000n;
/** Links per step backwards. */
const stepBackwards = 256n;

/** Number of links up to this position of the log; undefined before the first event. */
interface Mark {
  readonly position: bigint | undefined;
  readonly links: bigint;
}

/** Links in the order of the log; `position`: the log was searched up to here. */
interface LinkRun {
  readonly links: readonly RecordedEvent[];
  readonly position: bigint;
  readonly caughtUp: boolean;
}

/**
 * The streams of links by category and by type, as EventStoreDB's system projections write them. Nothing is stored:
 * the log is searched for the events, and a link's revision is the number of links before it. Cached positions save
 * the next read a search; they stay valid because the log only grows.
 */
export class LinkStreams {
  readonly #store: Pick<EventStore, "lastPosition" | "subscribe">;
  readonly #marks = createLru<string, Marks>(streamLimit);
  /** Targets of links that are still in use, so that replaying a category looks up no event. */
  readonly #targets = new WeakMap<RecordedEvent, RecordedEvent>();

  constructor(store: Pick<EventStore, "lastPosition" | "subscribe">) {
    this.#store = store;
  }

  /**
   * Returns links as the port reads a stream, up to the end of the log at the start. Undefined if the stream has no
   * links.
   */
  read(stream: string, options: ReadOptions = {}): AsyncIterable<RecordedEvent> | undefined {
    const source = linkSourceOf(stream);
    return source === undefined ? undefined : this.#read(stream, source, options);
  }

  /** Returns the target of a link from these streams; undefined for other links, and for a link to a link. */
  targetOf(link: RecordedEvent): RecordedEvent | undefined {
    return this.#targets.get(link);
  }

  /** Returns links after a revision (exclusive), then new links. Undefined if the stream has no links. */
  follow(stream: string, from: Begin, signal: AbortSignal): AsyncIterable<LinkRun> | undefined {
    const source = linkSourceOf(stream);
    return source === undefined ? undefined : this.#follow(stream, source, from, signal);
  }

  async *#follow(
    stream: string,
    source: LinkSource,
    from: Begin,
    signal: AbortSignal,
  ): AsyncGenerator<LinkRun, void, undefined> {
    const after = from === "start" ? -1n : from;
    const next = after === "end" ? await this.#count(stream, source) : after + 1n;
    yield* this.#runs(stream, source, next, signal);
  }

  async *#read(
    stream: string,
    source: LinkSource,
    { from, direction = "forwards", limit = Number.MAX_SAFE_INTEGER }: ReadOptions,
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    const runs =
      direction === "forwards"
        ? this.#forwards(stream, source, from ?? 0n)
        : this.#backwards(stream, source, from);
    let left = limit;
    for await (const links of runs) {
      for (const link of links) {
        if (left <= 0) return;
        left -= 1;
        yield link;
      }
    }
  }

  async *#forwards(
    stream: string,
    source: LinkSource,
    from: bigint,
  ): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
    const end = await this.#store.lastPosition();
    if (end === undefined) return;
    for await (const { links, position, caughtUp } of this.#runs(stream, source, from)) {
      yield links.filter((link) => link.position <= end);
      if (position >= end || caughtUp) return;
    }
    throw new EventStoreUnavailableError("the event store was closed while it was read");
  }

  async *#backwards(
    stream: string,
    source: LinkSource,
    from: bigint | undefined,
  ): AsyncGenerator<readonly RecordedEvent[], void, undefined> {
    const last = (await this.#count(stream, source)) - 1n;
    let upTo = from === undefined || from > last ? last : from;
    while (upTo >= 0n) {
      const first = upTo < stepBackwards ? 0n : upTo - stepBackwards + 1n;
      const step: RecordedEvent[] = [];
      for await (const links of this.#forwards(stream, source, first)) {
        step.push(...links);
        if (BigInt(step.length) > upTo - first) break;
      }
      yield step.slice(0, Number(upTo - first) + 1).reverse();
      upTo = first - 1n;
    }
  }

  async #count(stream: string, source: LinkSource): Promise<bigint> {
    const marks = this.#marksOf(stream);
    const end = await this.#store.lastPosition();
    if (end === undefined) return 0n;
    let count = marks.last.links;
    for await (const links of this.#forwards(stream, source, count)) count += BigInt(links.length);
    return count;
  }

  /** Returns links from a revision (inclusive) until the signal aborts. */
  async *#runs(
    stream: string,
    { holds, streamPrefixes }: LinkSource,
    from: bigint,
    signal?: AbortSignal,
  ): AsyncGenerator<LinkRun, void, undefined> {
    const marks = this.#marksOf(stream);
    const { position: after = "start", links: before } = marks.before(from);
    let count = before;
    const batches = this.#store.subscribe({ from: after, ...defined({ streamPrefixes, signal }) });
    for await (const { events, position, caughtUp } of batches) {
      const links: RecordedEvent[] = [];
      for (const event of events) {
        if (!holds(event)) continue;
        if (count >= from) links.push(this.#link(stream, count, event));
        count += 1n;
      }
      marks.note({ position, links: count });
      yield { links, position, caughtUp };
    }
  }

  #link(stream: string, revision: bigint, event: RecordedEvent): RecordedEvent {
    const link = linkTo(stream, revision, event);
    if (event.type !== linkType) this.#targets.set(link, event);
    return link;
  }

  #marksOf(stream: string): Marks {
    const known = this.#marks.get(stream);
    if (known !== undefined) return known;
    const marks = new Marks();
    this.#marks.set(stream, marks);
    return marks;
  }
}

/** Positions at regular intervals with the number of links before them, and the last position reached. */
class Marks {
  readonly #kept: Mark[] = [];

  get last(): Mark {
    return this.#kept.at(-1) ?? { position: undefined, links: 0n };
  }

  /** Returns the last position with at most so many links before it. */
  before(revision: bigint): Mark {
    const mark = this.#kept.findLast(({ links }) => links <= revision);
    return mark ?? { position: undefined, links: 0n };
  }

  note(mark: { readonly position: bigint; readonly links: bigint }): void {
    if (mark.position <= (this.last.position ?? 0n)) return;
    if (mark.position - (this.#kept.at(-2)?.position ?? 0n) < stride) this.#kept.pop();
    this.#kept.push(mark);
  }
}
