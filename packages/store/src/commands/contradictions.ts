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

/** Maximum streams with cached results, and with cached states. */
const judgedStreams = 100_000;
const foldedStreams = 5_000;

/** Returns the codec and rules of a category; undefined for an unknown category. */
export type CodecOfCategory = (category: string) => CategoryCodec | undefined;

/** The reason why a stored event does not count in its stream. */
export interface LeftOut {
  /** The error of this event, or of an earlier event that stops the stream. */
  readonly error: UnreadableEventError;
  /** The decision of staff to skip the event. If undefined, the event stops its stream and no later event counts. */
  readonly answer: MendedEvent | undefined;
}

/** The result for a stream up to a revision. */
interface Judged {
  readonly through: bigint;
  readonly found: ReadonlyMap<bigint, UnreadableEventError>;
  /** Contradicting and unreadable events by revision, up to the event that stops the stream. */
  readonly leftOut: ReadonlyMap<bigint, LeftOut>;
  /** The error of the event that stops the stream. Later events are not checked until staff have that event skipped. */
  readonly stop: UnreadableEventError | undefined;
}

interface Folded {
  readonly state: unknown;
}

export interface Contradictions {
  /**
   * Returns the reason why a readable event cannot follow the events before it, even if staff had it skipped. Undefined
   * if the event can follow, or comes after an event that stops its stream.
   * @throws any error of the store.
   */
  of(recorded: RecordedEvent): Promise<UnreadableEventError | undefined>;
  /**
   * Returns the reason why an event does not count in its stream; undefined if the event counts or is foreign.
   * @throws any error of the store.
   */
  leftOut(recorded: Pick<RecordedEvent, "stream" | "revision">): Promise<LeftOut | undefined>;
}

/**
 * Finds readable events that contradict earlier events of their streams, such as a second opening of an account. It folds
 * streams like the deciders. Readers that do not fold, such as read models, use it to stop at the same events and skip
 * the same events.
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

  /** Checks the rest of a stream, or only the next event if the state before it is cached. */
  async #judge(stream: string, codec: CategoryCodec, next?: RecordedEvent): Promise<Judged> {
    const known = this.#judged.get(stream);
    const folded = this.#states.get(stream);
    // After an event that stopped the stream, start anew, because staff may have had it skipped.
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

  /** Clears the cache, because an older backup of the store may have other events at the same revisions. */
  #forgetOtherCopy(): void {
    const generation = this.#store.lineage?.generation ?? 0;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#judged.clear();
    this.#states.clear();
  }
}

/** Shared by the results of all streams without such events, which are nearly all. */
const noneFound: Judged["found"] = new Map();
const noneLeftOut: Judged["leftOut"] = new Map();

class Folding {
  readonly #store: Pick<EventStore, "read">;
  readonly #codec: CategoryCodec;
  #found: ReadonlyMap<bigint, UnreadableEventError>;
  #leftOut: ReadonlyMap<bigint, LeftOut>;
  #through: bigint;
  stop: UnreadableEventError | undefined;
  state: unknown;

  constructor(store: Pick<EventStore, "read">, codec: CategoryCodec, from?: Judged & Folded) {
    this.#store = store;
    this.#codec = codec;
    this.#found = from?.found ?? noneFound;
    this.#leftOut = from?.leftOut ?? noneLeftOut;
    this.#through = from?.through ?? -1n;
    this.state = from === undefined ? codec.fold?.initialState : from.state;
  }

  get next(): bigint {
    return this.#through + 1n;
  }

  get judged(): Judged {
    return { through: this.#through, found: this.#found, leftOut: this.#leftOut, stop: this.stop };
  }

  /** @returns the reason why the event does not count; undefined if the event counts or is foreign. */
  async take(recorded: RecordedEvent): Promise<LeftOut | undefined> {
    if (this.stop !== undefined) return { error: this.stop, answer: undefined };
    this.#through = recorded.revision;
    try {
      const decoded = decodeEvent(this.#codec, recorded, recorded);
      if (decoded !== undefined) this.#evolve(recorded, decoded.event);
      return undefined;
    } catch (error) {
      if (!(error instanceof UnreadableEventError)) throw error;
      const leftOut = { error, answer: await answerAbout(this.#store, recorded) };
      if (leftOut.answer === undefined) this.stop = error;
      this.#leftOut = new Map([...this.#leftOut, [recorded.revision, leftOut]]);
      return leftOut;
    }
  }

  #evolve(recorded: RecordedEvent, event: DomainEvent): void {
    try {
      this.state = taking(recorded, () => this.#codec.fold?.evolve(this.state, event));
    } catch (error) {
      // An error in folding affects only the stream of the event.
      const found =
        error instanceof UnreadableEventError
          ? error
          : new UnreadableEventError(recorded, "damaged", messageOf(error));
      this.#found = new Map([...this.#found, [recorded.revision, found]]);
      throw found;
    }
  }
}

/** An event of a stream. `leftOut` is the reason why it does not count; undefined if it counts or is foreign. */
export interface JudgedEvent {
  readonly recorded: RecordedEvent;
  readonly leftOut: LeftOut | undefined;
}

/**
 * Reads a whole stream, oldest first, and decides for each event whether it counts, like deciders and read models. Caches
 * nothing.
 * @throws any error of the store.
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

/** Returns the store's checker, shared by all readers in a process, so that each stream is folded once. */
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
