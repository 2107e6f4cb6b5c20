import { type DomainEvent, excerptOf, placeOf, UnreadableEventError } from "@hostledger/core";
import type { Position } from "@hostledger/store";

import { messageOf } from "../errors.ts";
import type { AnyProjection, Handler } from "../projection.ts";
import type { BatchWriter } from "../storage/engine.port.ts";
import type { StoppedStream } from "../storage/stopped-streams.ts";
import type { TableSet } from "../storage/table-set.ts";
import type { TableDefinitions } from "../tables.ts";
import type { EventInput } from "./event-input.ts";

/** The position and reason at which a materialisation stopped. */
export interface Parking {
  readonly position: Position;
  readonly reason: string;
}

export interface MaterialisationParts {
  /** Streams that stopped in its tables before. Default: none. */
  readonly stopped?: Iterable<StoppedStream>;
}

/**
 * A projection in one set of tables: the live ones, or those of a rebuild. It tracks its position and applies no event
 * twice. An event that it cannot apply stops the event's stream; the rows of other streams go on.
 */
export class Materialisation<Event extends DomainEvent> {
  readonly projection: AnyProjection<Event>;
  readonly tables: TableSet;
  /** Set after the commit of a batch. */
  position: Position;
  /** Reason why all tables stopped. */
  parked: Parking | undefined;
  /** The last event up to its position, as `markOf` writes it; null before the first. Set with the position. */
  mark: string | null = null;
  /** Skipped events since its checkpoint was stored. */
  unstored = 0;
  readonly #writer: BatchWriter;
  readonly #handlers: ReadonlyMap<string, Handler<Event, TableDefinitions> | "ignored">;
  readonly #categories: ReadonlySet<string>;
  readonly #stopped: Map<string, StoppedStream>;
  /** Stopped streams that are not stored yet. */
  readonly #unstoredStops = new Map<string, StoppedStream>();
  /** Ids of rejected events that staff had skipped. */
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

  get stopped(): readonly StoppedStream[] {
    return [...this.#stopped.values()];
  }

  get unstoredStops(): readonly StoppedStream[] {
    return [...this.#unstoredStops.values()];
  }

  /** True if the event is new and no earlier event blocks it. Called for each event, and `bigint` comparisons are slow. */
  #wants({ position, stream, recorded }: EventInput<Event>): boolean {
    if (position <= this.position || (this.parked !== undefined && position >= this.parked.position))
      return false;
    const stop = this.#stopped.get(stream);
    return (stop === undefined || position < stop.position) && !this.#passed.has(recorded.id);
  }

  /** True if the event is new and its stream is in the followed categories. */
  follows(input: EventInput<Event>): boolean {
    return this.#categories.has(input.category) && this.#wants(input);
  }

  /** True if the event may change rows or stop its stream. */
  isConcernedBy(input: EventInput<Event>): boolean {
    if (!this.follows(input)) return false;
    const { verdict } = input;
    if (verdict === "readable") return this.#handlers.get(input.type) !== "ignored";
    return verdict !== "foreign";
  }

  /** True if the event cannot be read and therefore stops its stream, unless staff had it skipped. */
  isStoppedBy(input: EventInput<Event>): boolean {
    return this.isConcernedBy(input) && input.verdict !== "readable";
  }

  /** True if the event is new and of other software. */
  isForeign(input: EventInput<Event>): boolean {
    return (
      this.#categories.has(input.category) && input.position > this.position && input.verdict === "foreign"
    );
  }

  /** Applies a new event inside the transaction of its batch. @throws any error that the event causes. */
  apply(input: EventInput<Event>): void {
    if (!this.isConcernedBy(input)) return;
    const { verdict } = input;
    if (verdict instanceof UnreadableEventError) throw verdict;
    const handler = this.#handlers.get(input.type);
    // The projection follows this stream, so it must not ignore an unknown event type.
    if (handler === undefined) throw new UnknownEventTypeError(input.recorded.type);
    if (handler === "ignored") return;
    this.#writer.reflect(input.position);
    handler(this.#writer, input);
  }

  /** Writes the rows of the applied events inside their transaction. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  discard(): void {
    this.#writer.discard();
  }

  /** Skips an event that it cannot apply. */
  pass({ recorded }: EventInput<Event>): void {
    this.#passed.add(recorded.id);
  }

  /** Stops a stream before an event. @param accountId the account named by earlier events of the stream. */
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

  /** Notes that the stopped streams are stored. */
  stopsStored(): void {
    this.#unstoredStops.clear();
  }

  /** Stops all tables at a position. @param reason a sentence about the projection. */
  park(position: Position, reason: string): void {
    this.parked = { position, reason: `projection ${this.projection.name}: ${reason}` };
  }
}

/** A stored event of a type without a handler: written by a newer version, or by other software. */
export class UnknownEventTypeError extends Error {
  override readonly name = "UnknownEventTypeError";

  constructor(storedType: string) {
    super(`events of the type ${excerptOf(storedType)} are not known to this version of Hostledger`);
  }
}
