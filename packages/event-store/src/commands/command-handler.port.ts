import type { Decider, DomainEvent, EventCodec, Rejection, SnapshotCodec } from "@hostledger/core";

import type { Position } from "../event-store.port.ts";
import type { CommandContext } from "./event-metadata.ts";

/** One kind of stream: its rules and how its events are stored. One value for each category. */
export interface Aggregate<Command, State, Event extends DomainEvent> {
  /** The stream of an id is `category-id`; a category holds no dash. */
  readonly category: string;
  readonly decider: Decider<Command, State, Event>;
  readonly codec: EventCodec<Event>;
  /** How states of long streams are kept; without it every load folds the whole stream. */
  readonly snapshots?: SnapshotCodec<State>;
  /** What a state takes in memory, about, in bytes, where it grows without end; others count for the same each. */
  readonly bytesOf?: (state: State) => number;
}

/** The outcome of a command, on disk when it is told. */
export type Executed<State, Event> =
  | {
      readonly accepted: true;
      /** The state after this command. */
      readonly state: State;
      /** What it added; nothing when it was so already. */
      readonly events: readonly Event[];
      /** The stream's last revision after this command; undefined while the stream does not exist. */
      readonly revision: bigint | undefined;
      /**
       * A position at which a reader has seen everything that this outcome rests on: that of the append, or of the
       * stream's last known event when nothing was added. Undefined while the stream does not exist.
       */
      readonly position: Position | undefined;
    }
  | {
      readonly accepted: false;
      readonly rejection: Rejection;
      /** The state that the refusal was decided on. */
      readonly state: State;
    };

/** A stream folded into its state, as far as it is known to be stored. */
export interface Loaded<State> {
  readonly state: State;
  readonly revision: bigint | undefined;
  readonly position: Position | undefined;
}

/** Counters since the start, and the number of streams in memory now. */
export interface CommandStatistics {
  /** Successful writes to the store. */
  readonly appends: number;
  /** Commands taken in. */
  readonly commands: number;
  /** Writes that found the stream elsewhere. */
  readonly conflicts: number;
  readonly cachedStreams: number;
}

/** Decides commands and stores what they add. */
export interface CommandHandler {
  /**
   * Decides a command on the stream's state and stores its events before it answers. A full queue, a busy store and
   * lasting conflicts answer with the rejection `overloaded`: nothing was changed.
   *
   * The state is kept in memory between commands. On a shared store, where others write the same streams, an outcome that
   * adds nothing (a refusal, or "already so") is decided on the stream's tail, read after the command came; one that adds
   * something is proven by its append.
   *
   * @throws EventStoreUnavailableError whether it was stored is not known: send the command again with the same id.
   * @throws EventStoreFailedError the store stopped.
   * @throws Error what `decide`, `evolve` or the codec threw: a bug or a corrupt stream.
   */
  execute<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    id: string,
    command: Command,
    context: CommandContext,
  ): Promise<Executed<State, Event>>;

  /**
   * The stored state of a stream; of one that does not exist the initial state. On a shared store it holds all that was
   * stored when it was asked for.
   *
   * @param maxAgeMs a state will do that was the stored one at most so many milliseconds ago; default 0. With `anyAgeMs` nothing
   * is read: it is the one in memory, else the initial one, and the next command is decided on it unless it adds nothing then.
   * @throws as `execute`
   */
  load<Command, State, Event extends DomainEvent>(
    aggregate: Aggregate<Command, State, Event>,
    id: string,
    maxAgeMs?: number,
  ): Promise<Loaded<State>>;

  statistics(): CommandStatistics;

  /** The store's generation, see `StoreLineage`. Absent where nobody watches the store. */
  generation?(): number;
}
