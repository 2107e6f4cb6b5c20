import type { DomainEvent } from "@hostledger/core";
import type { Timing } from "@hostledger/runtime/async";

import type { EventStore } from "../event-store.port.ts";
import {
  StreamSnapshots,
  type SnapshotEnvironment,
  type Snapshotted,
} from "../snapshots/stream-snapshots.ts";
import type { Aggregate, Loaded } from "./command-handler.port.ts";
import { decodeEvent, taking } from "./decode-event.ts";
import { passOverMended } from "./mended-events.ts";
import { anyAgeMs } from "./recent-state.ts";

/** What folding takes. */
export interface FoldEnvironment {
  readonly store: EventStore;
  readonly timing: Pick<Timing, "monotonicMilliseconds">;
  readonly snapshots: SnapshotEnvironment | undefined;
  /** Resolves when the present turn of the event loop is over. */
  readonly turnOver: () => Promise<void>;
}

/** The stored state of one stream, kept in memory, and read again where others may have written. */
export class FoldedStream<Command, State, Event extends DomainEvent> {
  readonly #aggregate: Aggregate<Command, State, Event>;
  readonly #stream: string;
  readonly #environment: FoldEnvironment;
  readonly #snapshots: StreamSnapshots<State> | undefined;
  #stored: Loaded<State> | undefined;
  /** A state that was taken for the stored one without a look: an append proves it, or does not. */
  #supposed: Loaded<State> | undefined;
  /** An instant at which `#stored` was all that was stored, in monotonic milliseconds. */
  #asOfMs = -Infinity;
  /** True when the stream is known to have grown beyond `#stored`. */
  #behind = false;
  /** The store's generation under which all of this was read. */
  #generation = 0;
  /** The read that is under way. */
  #loading: Promise<Loaded<State>> | undefined;
  /** The read that has not begun yet, for all who ask before it does. */
  #nextLoading: Promise<Loaded<State>> | undefined;

  constructor(aggregate: Aggregate<Command, State, Event>, stream: string, environment: FoldEnvironment) {
    this.#aggregate = aggregate;
    this.#stream = stream;
    this.#environment = environment;
    if (aggregate.snapshots !== undefined && environment.snapshots !== undefined)
      this.#snapshots = new StreamSnapshots(stream, aggregate.snapshots, environment.snapshots);
  }

  /** The state in memory, unless it is known to be out of date. */
  get known(): Loaded<State> | undefined {
    this.#forgetOtherCopy();
    return this.#behind ? undefined : this.#stored;
  }

  /** The state that the next command is decided on: the one in memory, or one that somebody went by who read nothing. */
  get supposed(): Loaded<State> | undefined {
    this.#forgetOtherCopy();
    return this.known ?? this.#supposed;
  }

  /** The state that was seen last, be it out of date. */
  get lastSeen(): State {
    return this.#stored?.state ?? this.#aggregate.decider.initialState;
  }

  /** The stored state, of so long ago at most; never one that an unfinished append may still change. */
  load(maxAgeMs: number): Promise<Loaded<State>> {
    const { store, timing } = this.#environment;
    const { known } = this;
    if (known === undefined && maxAgeMs === anyAgeMs) return Promise.resolve(this.#suppose());
    if (known === undefined) return store.shared === true ? this.#readTail() : this.#beginRead();
    const isNewEnough = store.shared !== true || this.#asOfMs + maxAgeMs > timing.monotonicMilliseconds();
    return isNewEnough ? Promise.resolve(known) : this.#readTail();
  }

  /**
   * Remembers the state, unless a read has seen a later one meanwhile.
   * @param asOfMs an instant not after the one at which it was all that was stored, in monotonic milliseconds.
   */
  keep(loaded: Loaded<State>, asOfMs: number): Loaded<State> {
    const isLater = (loaded.revision ?? -1n) >= (this.#stored?.revision ?? -1n);
    if (this.#stored === undefined || isLater) {
      this.#stored = loaded;
      this.#asOfMs = asOfMs;
      this.#supposed = undefined;
    }
    return this.#stored;
  }

  /** Keeps the state for the next start, when it is time to. */
  considerSnapshot(state: Snapshotted<State>): void {
    this.#snapshots?.consider(state);
  }

  /** The stream is known to have grown: what is in memory is where the next read begins. */
  outgrown(): void {
    this.#behind = true;
    this.#supposed = undefined;
  }

  /** A store that was put back to an older copy may hold other events at the same revisions. */
  #forgetOtherCopy(): void {
    const generation = this.#environment.store.lineage?.generation ?? 0;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#behind = false;
    this.#loading = undefined;
    this.#nextLoading = undefined;
    this.forget();
  }

  /** Nothing is known of the stream any more. */
  forget(): void {
    this.#stored = undefined;
    this.#supposed = undefined;
  }

  #suppose(): Loaded<State> {
    const { initialState: state } = this.#aggregate.decider;
    this.#supposed = this.#stored ?? { state, revision: undefined, position: undefined };
    return this.#supposed;
  }

  /** Joins the read that is under way, or begins one. */
  #beginRead(): Promise<Loaded<State>> {
    this.#loading ??= this.#fold().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** A read that begins after this call: one that is under way may have missed what its caller knows to be stored. */
  #readTail(): Promise<Loaded<State>> {
    this.#nextLoading ??= this.#readNext();
    return this.#nextLoading;
  }

  async #readNext(): Promise<Loaded<State>> {
    await this.#environment.turnOver();
    await this.#loading?.catch(() => undefined);
    this.#nextLoading = undefined;
    return this.#beginRead();
  }

  /** Folds what the stream holds beyond the known state. @throws UnreadableEventError */
  async #fold(): Promise<Loaded<State>> {
    const { decider, codec } = this.#aggregate;
    const { store, timing } = this.#environment;
    const beganMs = timing.monotonicMilliseconds();
    let last: Snapshotted<State> | undefined;
    let { state, revision, position } = this.#stored ??
      (await this.#snapshots?.load(store)) ?? {
        state: decider.initialState,
        revision: undefined,
        position: undefined,
      };
    for await (const recorded of store.read(this.#stream, {
      from: (revision ?? -1n) + 1n,
    })) {
      const before = state;
      try {
        const decoded = decodeEvent(codec, recorded);
        if (decoded !== undefined) state = taking(recorded, () => decider.evolve(before, decoded.event));
      } catch (error) {
        await passOverMended(store, recorded, error);
      }
      revision = recorded.revision;
      position = recorded.position;
      last = { state, revision, position, eventId: recorded.id };
    }
    if (last !== undefined) this.#snapshots?.consider(last);
    this.#behind = false;
    return this.keep({ state, revision, position }, beganMs);
  }
}
