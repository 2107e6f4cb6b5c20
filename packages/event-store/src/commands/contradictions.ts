import {
  categoryOf,
  StoredEventError,
  UnreadableEventError,
  type CategoryCodec,
  type DomainEvent,
} from "@hostledger/core";
import { createLru, type Lru } from "@hostledger/runtime/async";

import type { EventStore, RecordedEvent } from "../event-store.port.ts";
import { messageOf } from "../embedded/database.ts";
import { decodeEvent, taking } from "./decode-event.ts";
import { isMended } from "./mended-events.ts";

/** Streams that are remembered as judged, and those whose states are. */
const judgedStreams = 100_000;
const foldedStreams = 5_000;

/** Says which codec and rules a category's streams have; undefined for a category without. */
export type CodecOfCategory = (category: string) => CategoryCodec | undefined;

/** How far a stream was judged. */
interface Judged {
  /** Revision of the last event that was. */
  readonly through: bigint;
  /** The events that contradict those before them, by their revision. */
  readonly found: ReadonlyMap<bigint, UnreadableEventError>;
  /** True where the stream stands still before the last one: later events are not judged until staff have it passed over. */
  readonly isStopped: boolean;
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

  /** Judges the rest of a stream, or the next event where the state before it is at hand. */
  async #judge(stream: string, codec: CategoryCodec, next: RecordedEvent): Promise<Judged> {
    const known = this.#judged.get(stream);
    const folded = this.#states.get(stream);
    // Behind an event that stopped the stream nothing is known: staff may have it passed over now.
    const isUseful = known !== undefined && !known.isStopped && folded !== undefined;
    const fold = new Folding(this.#store, codec, isUseful ? { ...known, ...folded } : undefined);
    if (fold.next === next.revision) await fold.take(next);
    else
      for await (const recorded of this.#store.read(stream, { from: fold.next }))
        if (!(await fold.take(recorded))) break;
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
  #through: bigint;
  #isStopped = false;
  state: unknown;

  constructor(store: Pick<EventStore, "read">, codec: CategoryCodec, from: (Judged & Folded) | undefined) {
    this.#store = store;
    this.#codec = codec;
    this.#found = new Map(from?.found);
    this.#through = from?.through ?? -1n;
    this.state = from === undefined ? codec.fold?.initialState : from.state;
  }

  /** The revision that it takes next. */
  get next(): bigint {
    return this.#through + 1n;
  }

  get judged(): Judged {
    return { through: this.#through, found: this.#found, isStopped: this.#isStopped };
  }

  /** @returns whether the stream goes on behind the event: foreign events are passed over, and those that staff had passed over. */
  async take(recorded: RecordedEvent): Promise<boolean> {
    this.#through = recorded.revision;
    try {
      const decoded = decodeEvent(this.#codec, recorded);
      if (decoded !== undefined) this.#evolve(recorded, decoded.event);
    } catch (error) {
      if (!(error instanceof StoredEventError)) throw error;
      this.#isStopped = !(await isMended(this.#store, recorded));
    }
    return !this.#isStopped;
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
