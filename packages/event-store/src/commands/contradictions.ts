import {
  categoryOf,
  codecOfCategory,
  UnreadableEventError,
  type CategoryCodec,
  type DomainEvent,
  type MendedEvent,
} from "@hostledger/core";
import { createLru, type Lru } from "@hostledger/runtime/async";

import type { EventStore, RecordedEvent } from "../event-store.port.ts";
import { messageOf } from "../embedded/database.ts";
import { decodeEvent, taking } from "./decode-event.ts";
import { answerAbout } from "./mended-events.ts";

/** Streams that are remembered as judged, and those whose states are. */
const judgedStreams = 100_000;
const foldedStreams = 5_000;

/** Says which codec and rules a category's streams have; undefined for a category without. */
export type CodecOfCategory = (category: string) => CategoryCodec | undefined;

/** Why a stored event does not count in its stream. */
export interface LeftOut {
  /** Names the event that cannot be read or followed: this event, or one before it that stops the stream. */
  readonly error: UnreadableEventError;
  /** The answer by which staff had it passed over. Without one it stops its stream, and no event behind it counts. */
  readonly answer: MendedEvent | undefined;
}

/** How far a stream was judged. */
interface Judged {
  /** Revision of the last event that was. */
  readonly through: bigint;
  /** The events that contradict those before them, by their revision. */
  readonly found: ReadonlyMap<bigint, UnreadableEventError>;
  /** These and the ones that cannot be read, as far as the stream goes on. */
  readonly leftOut: ReadonlyMap<bigint, LeftOut>;
  /** The event at which the stream stands still: later events are not judged until staff have it passed over. */
  readonly stop: UnreadableEventError | undefined;
}

/** A state, which may be undefined. */
interface Folded {
  readonly state: unknown;
}

/** Says which events contradict the events before them in their streams. */
export interface Contradictions {
  /**
   * Why an event that can be read cannot follow the events before it, also where staff had it passed over; undefined where it can,
   * and behind an event that stops the stream.
   * @throws what the store throws.
   */
  of(recorded: RecordedEvent): Promise<UnreadableEventError | undefined>;
  /**
   * Why an event does not count in its stream; undefined where it counts, and for a foreign event.
   * @throws what the store throws.
   */
  leftOut(recorded: Pick<RecordedEvent, "stream" | "revision">): Promise<LeftOut | undefined>;
}

/**
 * Finds events that can be read and contradict the events before them in their streams, as an account does that is opened twice: no rule
 * can follow those. It folds streams as deciders do, for readers that fold nothing themselves, such as read models, so that all of them
 * stop at the same events and pass over the same.
 */
class StreamContradictions implements Contradictions {
  readonly #store: Pick<EventStore, "read" | "lineage">;
  readonly #codecOf: CodecOfCategory;
  readonly #judged: Lru<string, Judged> = createLru(judgedStreams);
  readonly #states: Lru<string, Folded> = createLru(foldedStreams);
  #generation: number | undefined;

  constructor(store: Pick<EventStore, "read" | "lineage">, codecOf: CodecOfCategory) {
    this.#store = store;
    this.#codecOf = codecOf;
  }

  async of(recorded: RecordedEvent): Promise<UnreadableEventError | undefined> {
    const { stream, revision } = recorded;
    const codec = this.#codecOf(categoryOf(stream));
    if (codec?.fold === undefined) return undefined;
    this.#forgetOtherCopy();
    const known = this.#judged.get(stream);
    if (known !== undefined && revision <= known.through) return known.found.get(revision);
    const judged = await this.#judge(stream, codec, recorded);
    return judged.found.get(revision);
  }

  async leftOut(recorded: Pick<RecordedEvent, "stream" | "revision">): Promise<LeftOut | undefined> {
    const { stream, revision } = recorded;
    const codec = this.#codecOf(categoryOf(stream));
    if (codec === undefined) return undefined;
    this.#forgetOtherCopy();
    let judged = this.#judged.get(stream);
    const isKnown =
      judged !== undefined &&
      (judged.stop === undefined
        ? revision <= judged.through
        : revision < judged.stop.revision || !(await this.#isMended(judged.stop)));
    if (judged === undefined || !isKnown) judged = await this.#judge(stream, codec);
    const { stop } = judged;
    const isBehind = stop !== undefined && revision > stop.revision;
    return isBehind ? { error: stop, answer: undefined } : judged.leftOut.get(revision);
  }

  async #isMended({ stream, eventId: id }: UnreadableEventError): Promise<boolean> {
    return (await answerAbout(this.#store, { stream, id })) !== undefined;
  }

  /** Judges the rest of a stream, or the next event where the state before it is at hand. */
  async #judge(stream: string, codec: CategoryCodec, next?: RecordedEvent): Promise<Judged> {
    const known = this.#judged.get(stream);
    const folded = this.#states.get(stream);
    // Behind an event that stopped the stream nothing is known: staff may have it passed over now.
    const isUseful = known !== undefined && known.stop === undefined && folded !== undefined;
    const fold = new Folding(this.#store, codec, isUseful ? { ...known, ...folded } : undefined);
    if (fold.next === next?.revision) await fold.take(next);
    else
      for await (const recorded of this.#store.read(stream, { from: fold.next })) {
        await fold.take(recorded);
        if (fold.stop !== undefined) break;
      }
    const { judged } = fold;
    this.#judged.set(stream, judged);
    this.#states.set(stream, { state: fold.state });
    return judged;
  }

  /** A store that was put back to an older copy may hold other events at the same revisions. */
  #forgetOtherCopy(): void {
    const generation = this.#store.lineage?.generation ?? 0;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#judged.clear();
    this.#states.clear();
  }
}

/** Folds one stream, event by event. */
class Folding {
  readonly #store: Pick<EventStore, "read">;
  readonly #codec: CategoryCodec;
  readonly #found: Map<bigint, UnreadableEventError>;
  readonly #leftOut: Map<bigint, LeftOut>;
  #through: bigint;
  stop: UnreadableEventError | undefined;
  state: unknown;

  constructor(store: Pick<EventStore, "read">, codec: CategoryCodec, from?: Judged & Folded) {
    this.#store = store;
    this.#codec = codec;
    this.#found = new Map(from?.found);
    this.#leftOut = new Map(from?.leftOut);
    this.#through = from?.through ?? -1n;
    this.state = from === undefined ? codec.fold?.initialState : from.state;
  }

  /** The revision that it takes next. */
  get next(): bigint {
    return this.#through + 1n;
  }

  get judged(): Judged {
    return { through: this.#through, found: this.#found, leftOut: this.#leftOut, stop: this.stop };
  }

  /** @returns why the event does not count: foreign events are passed over, and those that staff had passed over. */
  async take(recorded: RecordedEvent): Promise<LeftOut | undefined> {
    if (this.stop !== undefined) return { error: this.stop, answer: undefined };
    this.#through = recorded.revision;
    try {
      const decoded = decodeEvent(this.#codec, recorded);
      if (decoded !== undefined) this.#evolve(recorded, decoded.event);
      return undefined;
    } catch (error) {
      if (!(error instanceof UnreadableEventError)) throw error;
      const leftOut = { error, answer: await answerAbout(this.#store, recorded) };
      if (leftOut.answer === undefined) this.stop = error;
      this.#leftOut.set(recorded.revision, leftOut);
      return leftOut;
    }
  }

  #evolve(recorded: RecordedEvent, event: DomainEvent): void {
    try {
      this.state = taking(recorded, () => this.#codec.fold?.evolve(this.state, event));
    } catch (error) {
      // Whatever folding it throws, it harms the stream that the event is in and no other.
      const found =
        error instanceof UnreadableEventError
          ? error
          : new UnreadableEventError(recorded, "damaged", messageOf(error));
      this.#found.set(recorded.revision, found);
      throw found;
    }
  }
}

/** An event of a stream, and why it does not count there; undefined where it counts, and for a foreign event. */
export interface JudgedEvent {
  readonly recorded: RecordedEvent;
  readonly leftOut: LeftOut | undefined;
}

/**
 * Reads a whole stream, oldest first, and says of each event whether it counts, as deciders and read models count. It remembers nothing
 * afterwards.
 * @throws what the store throws.
 */
export async function* judgedEvents(
  store: Pick<EventStore, "read">,
  stream: string,
  codecOf: CodecOfCategory = codecOfCategory,
): AsyncGenerator<JudgedEvent, void, undefined> {
  const codec = codecOf(categoryOf(stream));
  const fold = codec && new Folding(store, codec);
  for await (const recorded of store.read(stream)) yield { recorded, leftOut: await fold?.take(recorded) };
}

const shared = new WeakMap<object, WeakMap<CodecOfCategory, Contradictions>>();

/** Those of a store, which all its readers in a process share: each stream is folded once for all of them. */
export function contradictionsIn(
  store: Pick<EventStore, "read" | "lineage">,
  codecOf: CodecOfCategory,
): Contradictions {
  const ofStore = shared.get(store) ?? new WeakMap<CodecOfCategory, Contradictions>();
  shared.set(store, ofStore);
  const found = ofStore.get(codecOf) ?? new StreamContradictions(store, codecOf);
  ofStore.set(codecOf, found);
  return found;
}
