import { excerptOf } from "./foreign-text.ts";
import { StoredEventError } from "./stored-event-error.ts";

/**
 * Why an event cannot be read. `damaged`: our own type, but its data or metadata is missing, broken or contradicts the
 * stream. `newer`: our own metadata, but only a newer version of Hostledger has the type.
 */
export type UnreadableKind = "damaged" | "newer";

export interface StoredEventPlace {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
}

/** Returns the place in words, for example `account-7@3 (BalanceCharged.v1)`. */
export function placeOf({
  stream,
  revision,
  type,
}: Pick<StoredEventPlace, "stream" | "revision" | "type">): string {
  return `${stream}@${String(revision)} (${excerptOf(type)})`;
}

/** An event that cannot be read. It blocks only its own stream; the edge answers the rejection `record-unreadable`. */
export class UnreadableEventError extends StoredEventError {
  override readonly name = "UnreadableEventError";
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly eventId: string;
  readonly type: string;
  readonly kind: UnreadableKind;
  /** Fault of the event, without its place. */
  readonly reason: string;

  constructor(event: StoredEventPlace, kind: UnreadableKind, reason: string) {
    super(reason);
    this.stream = event.stream;
    this.revision = event.revision;
    this.position = event.position;
    this.eventId = event.id;
    this.type = event.type;
    this.kind = kind;
    this.reason = reason;
    this.at(placeOf(event));
  }
}
