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
} from "@hostledger/store";

import { messageOf } from "../errors.ts";
import type { ProjectedEvent } from "../projection.ts";

export interface EventReading<Event extends DomainEvent> {
  readonly codec: Pick<EventCodec<Event>, "decode">;
  readonly codecOf: CodecOfCategory;
}

/**
 * A stored event for the projections, parsed once when the first projection needs it. Events of streams that nobody
 * follows are never parsed.
 */
export class EventInput<Event extends DomainEvent> implements ProjectedEvent<Event> {
  /** Stored type without its version: `BalanceCharged.v1` → `BalanceCharged`. */
  readonly type: string;
  /** Stream name up to its first dash: `account` of `account-17`. */
  readonly category: string;
  readonly recorded: RecordedEvent;
  readonly #reading: EventReading<Event>;
  #event: Event | undefined;
  #verdict: Verdict | undefined;

  constructor(recorded: RecordedEvent, reading: EventReading<Event>) {
    this.recorded = recorded;
    this.#reading = reading;
    const versionAt = recorded.type.lastIndexOf(".v");
    this.type = versionAt === -1 ? recorded.type : recorded.type.slice(0, versionAt);
    this.category = categoryOf(recorded.stream);
  }

  /** Returns whether the event can be read in its stream, or the reason why not. Events of other software are skipped. */
  get verdict(): Verdict {
    return (this.#verdict ??= verdictOn(this.recorded, this.#reading.codecOf(this.category)));
  }

  /** Notes that the event is readable but contradicts earlier events, so its stream stops. */
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

  /** @throws UndecodableEventError */
  get metadata(): EventMetadata {
    return readMetadata(this.recorded.metadata);
  }
}

type Verdict = "readable" | "foreign" | UnreadableEventError;

/** Cache by stored event, because all services of a process follow the same events. */
const verdicts = new WeakMap<
  RecordedEvent,
  { readonly codec: object | undefined; readonly verdict: Verdict }
>();

/** Returns whether the codec of the stream can read the event. */
export function verdictOn(recorded: RecordedEvent, codec: ReturnType<CodecOfCategory>): Verdict {
  const known = verdicts.get(recorded);
  if (known !== undefined && known.codec === codec) return known.verdict;
  const verdict = readingOf(recorded, codec);
  verdicts.set(recorded, { codec, verdict });
  return verdict;
}

function readingOf(recorded: RecordedEvent, codec: ReturnType<CodecOfCategory>): Verdict {
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
    // An error in reading affects only the stream of the event.
    return error instanceof UnreadableEventError
      ? error
      : new UnreadableEventError(recorded, "damaged", messageOf(error));
  }
}
