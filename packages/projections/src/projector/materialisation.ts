import { excerptOf, type DomainEvent } from "@hostledger/core";
import type { Position, RecordedEvent } from "@hostledger/event-store";

import { defined } from "@hostledger/runtime";

import { messageOf } from "../errors.ts";
import type { AnyProjection, Handler } from "../projection.ts";
import type { BatchWriter } from "../storage/engine.port.ts";
import type { TableSet } from "../storage/table-set.ts";
import type { TableDefinitions } from "../tables.ts";
import type { EventInput } from "./event-input.ts";
import { UnknownEventTypeError } from "./unknown-event-type.error.ts";

/** Where a materialisation stands still, and why. */
export interface Parking {
  /** The event that could not be handled. */
  readonly position: Position;
  /** A sentence that names the event. */
  readonly reason: string;
  /** The event, where it is one that is at fault. */
  readonly event?: RecordedEvent;
}

/**
 * A projection put into one set of tables: the live ones, or those of a rebuild beside them. It knows how far it has
 * come and takes no event twice, so that it does not matter who offers it an event, and how often.
 */
export class Materialisation<Event extends DomainEvent> {
  readonly projection: AnyProjection<Event>;
  readonly tables: TableSet;
  /** Set by whoever commits the batch, after the commit. */
  position: Position;
  parked: Parking | undefined;
  /** The last event up to its position, as `markOf` writes it; null before the first. Set with the position. */
  mark: string | null = null;
  /** Events that it went past since its checkpoint was stored, none of which concerned it. */
  unstored = 0;
  readonly #writer: BatchWriter;
  readonly #handlers: ReadonlyMap<string, Handler<Event, TableDefinitions> | "ignored">;
  readonly #categories: ReadonlySet<string>;
  readonly #mayPass: (event: RecordedEvent) => Promise<boolean>;
  /** Ids of events that it could not take and went past. */
  readonly #passed = new Set<string>();

  /** @param mayPass whether staff let it go past an event that it cannot take. */
  constructor(
    projection: AnyProjection<Event>,
    tables: TableSet,
    position: Position,
    mayPass: (event: RecordedEvent) => Promise<boolean> = () => Promise.resolve(false),
  ) {
    this.#mayPass = mayPass;
    this.projection = projection;
    this.tables = tables;
    this.position = position;
    this.#writer = tables.writer();
    this.#handlers = new Map(Object.entries(projection.handlers));
    this.#categories = new Set(projection.categories);
  }

  /** True when the event is new to it and not held up by an earlier one. Dear for what is asked for each event: `bigint`s. */
  #wants(position: Position): boolean {
    return position > this.position && (this.parked === undefined || position < this.parked.position);
  }

  /** True when the event may change its rows, or park it. */
  isConcernedBy(input: EventInput<Event>): boolean {
    if (!this.#categories.has(input.category) || this.#handlers.get(input.type) === "ignored") return false;
    return this.#wants(input.position);
  }

  /** Handles an event that is news to it, inside the transaction of its batch. @throws whatever is wrong with the event. */
  apply(input: EventInput<Event>): void {
    if (!this.#categories.has(input.category)) return;
    const handler = this.#handlers.get(input.type);
    if (handler === "ignored" || !this.#wants(input.position) || this.#passed.has(input.recorded.id)) return;
    // It follows these streams: a type that it does not name is a fact that it does not know, and skipping it would lie.
    if (handler === undefined) throw new UnknownEventTypeError(input.recorded.type);
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

  /** Stops before an event, or goes past it where staff said so. @returns true when it stopped. */
  async parkAt(event: RecordedEvent, cause: unknown): Promise<boolean> {
    if (await this.#mayPass(event)) {
      this.#passed.add(event.id);
      return false;
    }
    const place = `stream ${event.stream}, revision ${String(event.revision)}, position ${String(event.position)}`;
    this.park(
      event.position,
      `it stopped before ${excerptOf(event.type)} (${place}): ${messageOf(cause)}`,
      event,
    );
    return true;
  }

  /** Stops at a position; `reason` is a sentence about the projection. */
  park(position: Position, reason: string, event?: RecordedEvent): void {
    this.parked = {
      position,
      reason: `projection ${this.projection.name}: ${reason}`,
      ...defined({ event }),
    };
  }
}
