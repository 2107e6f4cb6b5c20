import type { ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { RecordedEvent } from "@hostledger/store";

import { persistent, streams } from "./protocol.ts";
import {
  deletedRevision,
  encodeStreamName,
  encodeUuid,
  fromStoredText,
  ticksOfTime,
  tombstoneType,
} from "./wire-values.codec.ts";

/** An event for a client: the event itself, or a link with its target. */
export interface ResolvedEvent {
  /** Undefined if the link's target is gone. */
  readonly event: RecordedEvent | undefined;
  readonly link: RecordedEvent | undefined;
}

/** The two generated classes have the same fields and no common base class. */
type RecordedMessage =
  | ReadResp.ReadEvent.RecordedEvent
  | InstanceType<typeof persistent.ReadResp.ReadEvent.RecordedEvent>;

/** Common fields of both messages with an event. */
interface EventMessage<Recorded> {
  setEvent(value: Recorded): unknown;
  setLink(value: Recorded): unknown;
  setCommitPosition(value: string): unknown;
}

export function encodeStreamEvent(resolved: ResolvedEvent, structuredIds: boolean): ReadResp {
  const message = new streams.ReadResp.ReadEvent();
  fill(message, resolved, (event) =>
    recorded(new streams.ReadResp.ReadEvent.RecordedEvent(), event, structuredIds),
  );
  return new streams.ReadResp().setEvent(message);
}

export function encodePersistentEvent(
  resolved: ResolvedEvent,
  retries: number,
): InstanceType<typeof persistent.ReadResp> {
  const message = new persistent.ReadResp.ReadEvent().setRetryCount(retries);
  fill(message, resolved, (event) =>
    recorded(new persistent.ReadResp.ReadEvent.RecordedEvent(), event, false),
  );
  return new persistent.ReadResp().setEvent(message);
}

function fill<Recorded>(
  message: EventMessage<Recorded>,
  { event, link }: ResolvedEvent,
  encode: (event: RecordedEvent) => Recorded,
): void {
  if (event !== undefined) message.setEvent(encode(event));
  if (link !== undefined) message.setLink(encode(link));
  message.setCommitPosition(String((link ?? event)?.position ?? 0n));
}

function recorded<T extends RecordedMessage>(message: T, event: RecordedEvent, structuredIds: boolean): T {
  const { bytes, contentType } = fromStoredText(event.data);
  const position = String(event.position);
  message.setId(encodeUuid(event.id, structuredIds));
  message.setStreamIdentifier(encodeStreamName(event.stream));
  message.setStreamRevision(String(event.type === tombstoneType ? deletedRevision : event.revision));
  message.setCommitPosition(position);
  message.setPreparePosition(position);
  message.setData(bytes);
  if (event.metadata !== "") message.setCustomMetadata(fromStoredText(event.metadata).bytes);
  const metadata = message.getMetadataMap();
  metadata.set("type", event.type);
  metadata.set("content-type", contentType);
  metadata.set("created", ticksOfTime(event.time));
  return message;
}

export function encodeStreamNotFound(stream: string): ReadResp {
  return new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(encodeStreamName(stream)),
  );
}

export function encodeConfirmation(id: string): ReadResp {
  return new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id),
  );
}

export function encodeCaughtUp(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
}

/** While catching up, EventStoreDB only sends the commit position; reads resume at the same place with both forms. */
export function encodeCheckpoint(position: bigint, live: boolean): ReadResp {
  return new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint()
      .setCommitPosition(String(position))
      .setPreparePosition(live ? String(position) : "0"),
  );
}
