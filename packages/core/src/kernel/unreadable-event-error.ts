import { excerptOf } from "./foreign-text.ts";
import { StoredEventError } from "./stored-event-error.ts";

/**
 * Why an event cannot be read. `damaged`: its type is ours, and its data or metadata is missing, broken or contradicts the
 * stream. `newer`: its metadata is ours, and only a newer version of Hostledger knows its type.
 */
export type UnreadableKind = "damaged" | "newer";

/** A stored event, as far as it takes to name it. */
export interface StoredEventPlace {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  /** The event's id. */
  readonly id: string;
  /** The stored type, for example `BalanceCharged.v1`. */
  readonly type: string;
}

/** An event in words: `account-7@3 (BalanceCharged.v1)`. */
export function placeOf({
  stream,
  revision,
  type,
}: Pick<StoredEventPlace, "stream" | "revision" | "type">): string {
  return `${stream}@${String(revision)} (${excerptOf(type)})`;
}

/**
 * An event that cannot be read. It stops the stream that it is in and no other; at the edge it becomes the refusal
 * `record-unreadable`.
 */
export class UnreadableEventError extends StoredEventError {
  override readonly name = "UnreadableEventError";
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly eventId: string;
  readonly type: string;
  readonly kind: UnreadableKind;
  /** What is wrong with the event, without its place. */
  readonly reason: string;

  /** @param reason what is wrong with the event, without its place. */
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
