import type { Decider, DomainEvent, EventCodec, Rejection, SnapshotCodec } from "@hostledger/core";

import type { Position } from "../event-store.port.ts";
import type { CommandContext } from "./event-metadata.ts";

/** One kind of stream: its rules and the stored form of its events. One value per category. */
export interface Aggregate<Command, State, Event extends DomainEvent> {
  /** Streams are named `category-id`; a category contains no dash. */
  readonly category: string;
  readonly decider: Decider<Command, State, Event>;
  readonly codec: EventCodec<Event>;
  /** Stored form of states of long streams; without a codec every load folds the whole stream. */
  readonly snapshots?: SnapshotCodec<State>;
  /** Approximate size of a state in memory, in bytes, if states can grow without limit. Other states have a fixed weight. */
  readonly bytesOf?: (state: State) => number;
}

/** The outcome of a command, returned after its events are on disk. */
export type Executed<State, Event> =
  | {
      readonly accepted: true;
      readonly state: State;
      /** Added events; empty if nothing had to change. */
      readonly events: readonly Event[];
      /** Last revision of the stream after this command; undefined while the stream does not exist. */
      readonly revision: bigint | undefined;
      /**
       * Position up to which a reader must have read to see this outcome: of the append, or of the stream's last known
       * event if nothing was added. Undefined while the stream does not exist.
       */
      readonly position: Position | undefined;
    }
  | {
      readonly accepted: false;
      readonly rejection: Rejection;
      /** The state on which the refusal was decided. */
      readonly state: State;
    };

/** The folded state of a stream, up to its last known event. */
export interface Loaded<State> {
  readonly state: State;
  readonly revision: bigint | undefined;
  readonly position: Position | undefined;
}

/** Counters since the start, and the number of cached streams. */
export interface CommandStatistics {
  readonly appends: number;
  readonly commands: number;
  /** Writes that failed because the stream had another revision. */
  readonly conflicts: number;
  readonly cachedStreams: number;
}

export interface CommandHandler {
  /**
   * Decides a command on the stream's state and stores its events before it answers. The rejection `overloaded` means
   * that nothing was changed: the queue is full, the store is busy, or conflicts go on.
   *
   * States are cached between commands. On a shared store, other processes write to the same streams. A refusal or a
   * no-op is then decided on the stream's tail, read after the command arrived. A command that adds events is confirmed
   * by its append.
   * @throws EventStoreUnavailableError unknown whether the events are stored: send the command again with the same id.
   * @throws EventStoreFailedError the store stopped.
   * @throws Error thrown by `decide`, `evolve` or the codec: a bug or a corrupt stream.
   */
  execute<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    id: string,
    command: Command,
    context: CommandContext,
  ): Promise<Executed<State, Event>>;

  /**
   * Returns the stored state of a stream, or the initial state if the stream does not exist. On a shared store the state
   * includes all events stored before the call.
   * @param maxAgeMs accepted age of the state in milliseconds; default 0. With `anyAgeMs` nothing is read: the answer is
   * the cached or else the initial state. The next command is decided on it, unless the command would add nothing.
   * @throws as `execute`
   */
  load<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    id: string,
    maxAgeMs?: number,
  ): Promise<Loaded<State>>;

  statistics(): CommandStatistics;

  /** The store's generation, see `StoreLineage`. Absent if the store's lineage is not checked. */
  generation?(): number;
}
