import type { DomainEvent } from "@hostledger/core";
import type { EventMetadata, Position } from "@hostledger/store";

import type { RowWriter } from "./row-writer.port.ts";
import type { TableDefinitions } from "./tables.ts";

/** A stored event for a handler. */
export interface ProjectedEvent<Event extends DomainEvent> {
  /** The event in its current version. */
  readonly event: Event;
  /** The event's stream, for example `account-17`. */
  readonly stream: string;
  /** Place in the stream, from 0. */
  readonly revision: bigint;
  /** Position in the log of all events. */
  readonly position: Position;
  /** Time of storage: ISO 8601 UTC with six fractional digits. */
  readonly time: string;
  /** Stored actor and cause of the event. */
  readonly metadata: EventMetadata;
}

/**
 * Turns one event into row changes: synchronous, without clock or reads. A method type makes the parameters bivariant, so
 * that handlers of single event types fit into a list of all handlers.
 */
export type Handler<Event extends DomainEvent, Tables extends TableDefinitions> = {
  handle(db: RowWriter<Tables>, input: ProjectedEvent<Event>): void;
}["handle"];

/** One entry per event type: a function, or "ignored". A missing entry does not compile. */
export type Handlers<Event extends DomainEvent, Tables extends TableDefinitions> = {
  readonly [Type in Event["type"]]: Handler<Extract<Event, { readonly type: Type }>, Tables> | "ignored";
};

/** A read model: its tables and the handlers that write them. */
export interface Projection<Event extends DomainEvent, Tables extends TableDefinitions> {
  /** In snake case; unique in its database. */
  readonly name: string;
  /** Raise it when the handlers' meaning changes: the tables are then rebuilt at the next start. */
  readonly version: number;
  /**
   * Categories of the streams that the projection follows, for example `account`. An event in such a stream without a
   * handler stops that stream in this projection.
   */
  readonly categories: readonly string[];
  readonly tables: Tables;
  readonly handlers: Handlers<Event, Tables>;
}

/** Any projection of these events, without its own table types. */
export interface AnyProjection<Event extends DomainEvent> {
  readonly name: string;
  readonly version: number;
  readonly categories: readonly string[];
  readonly tables: TableDefinitions;
  readonly handlers: Readonly<Record<string, Handler<Event, TableDefinitions> | "ignored">>;
}
