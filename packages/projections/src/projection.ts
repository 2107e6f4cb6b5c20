import type { DomainEvent } from "@hostledger/core";
import type { EventMetadata, Position } from "@hostledger/event-store";

import type { RowWriter } from "./row-writer.port.ts";
import type { TableDefinitions } from "./tables.ts";

/** One stored event as a handler sees it. */
export interface ProjectedEvent<Event extends DomainEvent> {
  /** The event in today's shape. */
  readonly event: Event;
  /** The stream it belongs to, for example `account-17`. */
  readonly stream: string;
  /** Its place in the stream, from 0. */
  readonly revision: bigint;
  /** Its place in the log of all events. */
  readonly position: Position;
  /** When it was stored: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /** Who caused it and why, as stored beside it. */
  readonly metadata: EventMetadata;
}

/**
 * Turns one event into row changes: synchronous, no clock, no reads. The detour over a method makes its parameters
 * bivariant, so that a handler of one event type can stand in a list of handlers of all of them.
 */
export type Handler<Event extends DomainEvent, Tables extends TableDefinitions> = {
  handle(db: RowWriter<Tables>, input: ProjectedEvent<Event>): void;
}["handle"];

/** One entry for each event type: a function, or the word that says it was thought of. Leaving one out does not compile. */
export type Handlers<Event extends DomainEvent, Tables extends TableDefinitions> = {
  readonly [Type in Event["type"]]: Handler<Extract<Event, { readonly type: Type }>, Tables> | "ignored";
};

/** A read model: the tables it owns and what every event does to them. */
export interface Projection<Event extends DomainEvent, Tables extends TableDefinitions> {
  /** In snake case; unique in its database. */
  readonly name: string;
  /** Raise it when the handlers mean something else than before: the tables are then built anew at the next start. */
  readonly version: number;
  /**
   * The categories of streams that it follows, for example `account`. What happens in other streams is none of its business;
   * an event in one of these whose type the handlers do not name parks it, and nobody else.
   */
  readonly categories: readonly string[];
  readonly tables: Tables;
  readonly handlers: Handlers<Event, Tables>;
}

/** Any projection of these events, its own table types forgotten: what the projector runs. */
export interface AnyProjection<Event extends DomainEvent> {
  readonly name: string;
  readonly version: number;
  readonly categories: readonly string[];
  readonly tables: TableDefinitions;
  readonly handlers: Readonly<Record<string, Handler<Event, TableDefinitions> | "ignored">>;
}
