import type { DomainEvent, EventCodec } from "@hostledger/core";
import { readMetadata, type EventMetadata, type Position, type RecordedEvent } from "@hostledger/event-store";

import type { ProjectedEvent } from "../projection.ts";

/**
 * A stored event on its way through the projections. It is decoded when the first handler wants it and then once for
 * all of them; an event that everyone ignores is never parsed.
 */
export class EventInput<Event extends DomainEvent> implements ProjectedEvent<Event> {
  /** The stored type without its version: `BalanceCharged.v1` → `BalanceCharged`. */
  readonly type: string;
  /** What stands before the first dash of its stream's name: `account` of `account-17`. */
  readonly category: string;
  readonly recorded: RecordedEvent;
  readonly #codec: Pick<EventCodec<Event>, "decode">;
  #event: Event | undefined;

  constructor(recorded: RecordedEvent, codec: Pick<EventCodec<Event>, "decode">) {
    this.recorded = recorded;
    this.#codec = codec;
    const versionAt = recorded.type.lastIndexOf(".v");
    this.type = versionAt === -1 ? recorded.type : recorded.type.slice(0, versionAt);
    const dashAt = recorded.stream.indexOf("-");
    this.category = dashAt === -1 ? recorded.stream : recorded.stream.slice(0, dashAt);
  }

  /** @throws UndecodableEventError */
  get event(): Event {
    this.#event ??= this.#codec.decode(this.recorded.type, this.recorded.data, this.recorded);
    return this.#event;
  }

  get stream(): string {
    return this.recorded.stream;
  }

  get revision(): bigint {
    return this.recorded.revision;
  }

  get position(): Position {
    return this.recorded.position;
  }

  get time(): string {
    return this.recorded.time;
  }

  /** Parsed when a handler asks for it. @throws UndecodableEventError */
  get metadata(): EventMetadata {
    return readMetadata(this.recorded.metadata);
  }
}
