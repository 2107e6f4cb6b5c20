import {
  categoryOf,
  isForeign,
  UnreadableEventError,
  unreadableKind,
  type DomainEvent,
  type EventCodec,
} from "@hostledger/core";
import {
  readMetadata,
  taking,
  type CodecOfCategory,
  type EventMetadata,
  type Position,
  type RecordedEvent,
} from "@hostledger/event-store";

import { messageOf } from "../errors.ts";
import type { ProjectedEvent } from "../projection.ts";

/** What reads events for projections. */
export interface EventReading<Event extends DomainEvent> {
  readonly codec: Pick<EventCodec<Event>, "decode">;
  readonly codecOf: CodecOfCategory;
}

/**
 * A stored event on its way through the projections. It is read when the first projection asks for it and then once for all of
 * them; an event of streams that nobody follows is never parsed.
 */
export class EventInput<Event extends DomainEvent> implements ProjectedEvent<Event> {
  /** The stored type without its version: `BalanceCharged.v1` → `BalanceCharged`. */
  readonly type: string;
  /** What stands before the first dash of its stream's name: `account` of `account-17`. */
  readonly category: string;
  readonly recorded: RecordedEvent;
  readonly #reading: EventReading<Event>;
  #event: Event | undefined;
  #verdict: "readable" | "foreign" | UnreadableEventError | undefined;

  constructor(recorded: RecordedEvent, reading: EventReading<Event>) {
    this.recorded = recorded;
    this.#reading = reading;
    const versionAt = recorded.type.lastIndexOf(".v");
    this.type = versionAt === -1 ? recorded.type : recorded.type.slice(0, versionAt);
    this.category = categoryOf(recorded.stream);
  }

  /** Whether the event can be read in its stream, or why not. Other software's events are passed over. */
  get verdict(): "readable" | "foreign" | UnreadableEventError {
    return (this.#verdict ??= verdictOn(this.recorded, this.#reading.codecOf(this.category)));
  }

  /** It can be read, and its stream stands still all the same: it contradicts the events before it. */
  contradict(error: UnreadableEventError): void {
    this.#verdict = error;
  }

  /** @throws UndecodableEventError */
  get event(): Event {
    this.#event ??= this.#reading.codec.decode(this.recorded.type, this.recorded.data, this.recorded);
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

/** Whether an event can be read in a stream whose events that codec reads. */
export function verdictOn(
  recorded: RecordedEvent,
  codec: ReturnType<CodecOfCategory>,
): "readable" | "foreign" | UnreadableEventError {
  const isKnown = codec?.knows(recorded.type) === true;
  if (!isKnown && isForeign(recorded)) return "foreign";
  const read = (): void => {
    codec?.decode(recorded.type, recorded.data, recorded);
    readMetadata(recorded.metadata);
  };
  try {
    taking(recorded, read, isKnown ? "damaged" : unreadableKind(recorded));
    return "readable";
  } catch (error) {
    // Whatever reading it throws, it harms the stream that the event is in and no other.
    return error instanceof UnreadableEventError
      ? error
      : new UnreadableEventError(recorded, "damaged", messageOf(error));
  }
}
