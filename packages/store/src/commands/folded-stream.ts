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

export interface FoldEnvironment {
  readonly store: EventStore;
  readonly timing: Pick<Timing, "monotonicMilliseconds">;
  readonly snapshots: SnapshotEnvironment | undefined;
  /** Resolves when the present turn of the event loop is over. */
  readonly turnOver: () => Promise<void>;
}

/** The cached state of one stream, read again if other processes may have written. */
export class FoldedStream<Command, State, Event extends DomainEvent> {
  readonly #aggregate: Aggregate<Command, State, Event>;
  readonly #stream: string;
  readonly #environment: FoldEnvironment;
  readonly #snapshots: StreamSnapshots<State> | undefined;
  #stored: Loaded<State> | undefined;
  /** A state used without a read; the next append confirms or refutes it. */
  #supposed: Loaded<State> | undefined;
  /** An instant at which `#stored` was complete, in monotonic milliseconds. */
  #asOfMs = -Infinity;
  /** True if the stream is known to have grown beyond `#stored`. */
  #behind = false;
  #generation = 0;
  #loading: Promise<Loaded<State>> | undefined;
  /** The next read, for all callers that ask before it begins. */
  #nextLoading: Promise<Loaded<State>> | undefined;

  constructor(aggregate: Aggregate<Command, State, Event>, stream: string, environment: FoldEnvironment) {
    this.#aggregate = aggregate;
    this.#stream = stream;
    this.#environment = environment;
    if (aggregate.snapshots !== undefined && environment.snapshots !== undefined)
      this.#snapshots = new StreamSnapshots(stream, aggregate.snapshots, environment.snapshots);
  }

  /** The cached state, unless it is known to be outdated. */
  get known(): Loaded<State> | undefined {
    this.#forgetOtherCopy();
    return this.#behind ? undefined : this.#stored;
  }

  /** The state for the next decision: the cached state, or a state that a caller used without a read. */
  get supposed(): Loaded<State> | undefined {
    this.#forgetOtherCopy();
    return this.known ?? this.#supposed;
  }

  get lastSeen(): State {
    return this.#stored?.state ?? this.#aggregate.decider.initialState;
  }

  /** Returns the stored state of at most this age, never one that an unfinished append may still change. */
  load(maxAgeMs: number): Promise<Loaded<State>> {
    const { store, timing } = this.#environment;
    const { known } = this;
    if (known === undefined && maxAgeMs === anyAgeMs) return Promise.resolve(this.#suppose());
    if (known === undefined) return store.shared === true ? this.#readTail() : this.#beginRead();
    const isNewEnough = store.shared !== true || this.#asOfMs + maxAgeMs > timing.monotonicMilliseconds();
    return isNewEnough ? Promise.resolve(known) : this.#readTail();
  }

  /**
   * Caches the state, unless a read has returned a later one.
   * @param asOfMs an instant at or before which the state was complete, in monotonic milliseconds.
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

  considerSnapshot(state: Snapshotted<State>): void {
    this.#snapshots?.consider(state);
  }

  /** Marks the cached state as outdated; the next read continues from it. */
  outgrown(): void {
    this.#behind = true;
    this.#supposed = undefined;
  }

  /** Clears the cache, because an older backup of the store may have other events at the same revisions. */
  #forgetOtherCopy(): void {
    const generation = this.#environment.store.lineage?.generation ?? 0;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#behind = false;
    this.#loading = undefined;
    this.#nextLoading = undefined;
    this.forget();
  }

  forget(): void {
    this.#stored = undefined;
    this.#supposed = undefined;
  }

  #suppose(): Loaded<State> {
    const { initialState: state } = this.#aggregate.decider;
    this.#supposed = this.#stored ?? { state, revision: undefined, position: undefined };
    return this.#supposed;
  }

  /** Joins the read in progress or begins one. */
  #beginRead(): Promise<Loaded<State>> {
    this.#loading ??= this.#fold().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Begins a new read after this call, because a read in progress may have missed events that the caller knows. */
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

  /** Folds the stream's events after the known state. @throws UnreadableEventError */
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
