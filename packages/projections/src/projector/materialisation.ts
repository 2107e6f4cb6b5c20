import { excerptOf, placeOf, UnreadableEventError, type DomainEvent } from "@hostledger/core";
import type { Position } from "@hostledger/event-store";

import { messageOf } from "../errors.ts";
import type { AnyProjection, Handler } from "../projection.ts";
import type { BatchWriter } from "../storage/engine.port.ts";
import type { StoppedStream } from "../storage/stopped-streams.ts";
import type { TableSet } from "../storage/table-set.ts";
import type { TableDefinitions } from "../tables.ts";
import type { EventInput } from "./event-input.ts";
import { UnknownEventTypeError } from "./unknown-event-type.error.ts";

/** Where a materialisation stands still, and why. */
export interface Parking {
  readonly position: Position;
  /** A sentence about the tables. */
  readonly reason: string;
}

/** What a materialisation knows beside its position. */
export interface MaterialisationParts {
  /** Streams that stopped in its tables before. Default: none. */
  readonly stopped?: Iterable<StoppedStream>;
}

/**
 * A projection put into one set of tables: the live ones, or those of a rebuild beside them. It knows how far it has
 * come and takes no event twice, so that it does not matter who offers it an event, and how often.
 *
 * An event that it cannot take stops the stream that the event is in: its rows stand still, and those of other streams go on.
 */
export class Materialisation<Event extends DomainEvent> {
  readonly projection: AnyProjection<Event>;
  readonly tables: TableSet;
  /** Set by whoever commits the batch, after the commit. */
  position: Position;
  /** Why the tables as a whole take nothing more. */
  parked: Parking | undefined;
  /** The last event up to its position, as `markOf` writes it; null before the first. Set with the position. */
  mark: string | null = null;
  /** Events that it went past since its checkpoint was stored, none of which concerned it. */
  unstored = 0;
  readonly #writer: BatchWriter;
  readonly #handlers: ReadonlyMap<string, Handler<Event, TableDefinitions> | "ignored">;
  readonly #categories: ReadonlySet<string>;
  readonly #stopped: Map<string, StoppedStream>;
  /** Streams that stopped and are not stored yet. */
  readonly #unstoredStops = new Map<string, StoppedStream>();
  /** Ids of events that it could not take and that staff had passed over. */
  readonly #passed = new Set<string>();

  constructor(
    projection: AnyProjection<Event>,
    tables: TableSet,
    position: Position,
    { stopped = [] }: MaterialisationParts = {},
  ) {
    this.projection = projection;
    this.tables = tables;
    this.position = position;
    this.#writer = tables.writer();
    this.#handlers = new Map(Object.entries(projection.handlers));
    this.#categories = new Set(projection.categories);
    this.#stopped = new Map([...stopped].map((stop) => [stop.stream, stop]));
  }

  /** The streams that stand still in its tables. */
  get stopped(): readonly StoppedStream[] {
    return [...this.#stopped.values()];
  }

  /** Those of them that are not stored yet. */
  get unstoredStops(): readonly StoppedStream[] {
    return [...this.#unstoredStops.values()];
  }

  /** True when the event is new to it and not held up by an earlier one. Dear for what is asked for each event: `bigint`s. */
  #wants({ position, stream, recorded }: EventInput<Event>): boolean {
    if (position <= this.position || (this.parked !== undefined && position >= this.parked.position))
      return false;
    const stop = this.#stopped.get(stream);
    return (stop === undefined || position < stop.position) && !this.#passed.has(recorded.id);
  }

  /** True where the event is in a stream of its categories, and new to it. */
  follows(input: EventInput<Event>): boolean {
    return this.#categories.has(input.category) && this.#wants(input);
  }

  /** True when the event may change its rows, or stop its stream. */
  isConcernedBy(input: EventInput<Event>): boolean {
    if (!this.follows(input)) return false;
    const { verdict } = input;
    if (verdict === "readable") return this.#handlers.get(input.type) !== "ignored";
    return verdict !== "foreign";
  }

  /** True where the event cannot be read, and stops its stream unless staff had it passed over. */
  isStoppedBy(input: EventInput<Event>): boolean {
    return this.isConcernedBy(input) && input.verdict !== "readable";
  }

  /** True where the event is other software's, and new to it. */
  isForeign(input: EventInput<Event>): boolean {
    return (
      this.#categories.has(input.category) && input.position > this.position && input.verdict === "foreign"
    );
  }

  /** Handles an event that is news to it, inside the transaction of its batch. @throws whatever is wrong with the event. */
  apply(input: EventInput<Event>): void {
    if (!this.isConcernedBy(input)) return;
    const { verdict } = input;
    if (verdict instanceof UnreadableEventError) throw verdict;
    const handler = this.#handlers.get(input.type);
    // It follows these streams: a type that it does not name is an event that it does not know, and skipping it would lie.
    if (handler === undefined) throw new UnknownEventTypeError(input.recorded.type);
    if (handler === "ignored") return;
    this.#writer.reflect(input.position);
    handler(this.#writer, input);
  }

  /** Writes the rows of the events handled so far, inside their transaction. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Forgets rows that were not written. */
  discard(): void {
    this.#writer.discard();
  }

  /** Goes past an event that it cannot take. */
  pass({ recorded }: EventInput<Event>): void {
    this.#passed.add(recorded.id);
  }

  /**
   * Stops a stream before an event.
   * @param accountId the account that the earlier events of the stream name.
   */
  stop({ recorded }: EventInput<Event>, cause: unknown, accountId: number | undefined): StoppedStream {
    const { stream, revision, position, id: eventId, type, time: since } = recorded;
    const isReadable = !(cause instanceof UnreadableEventError);
    const place = `stream ${excerptOf(stream)}, revision ${String(revision)}, position ${String(position)}`;
    const why = isReadable ? messageOf(cause) : messageOf(cause).replace(`${placeOf(recorded)}: `, "");
    const stop: StoppedStream = {
      stream,
      revision,
      position,
      eventId,
      type: excerptOf(type),
      kind: isReadable ? "damaged" : cause.kind,
      isReadable,
      reason: `${excerptOf(type)} (${place}): ${excerptOf(why)}`,
      since,
      accountId,
    };
    this.#stopped.set(stream, stop);
    this.#unstoredStops.set(stream, stop);
    return stop;
  }

  /** The streams that stopped are stored. */
  stopsStored(): void {
    this.#unstoredStops.clear();
  }

  /** Stops as a whole at a position; `reason` is a sentence about the projection. */
  park(position: Position, reason: string): void {
    this.parked = { position, reason: `projection ${this.projection.name}: ${reason}` };
  }
}
