import type { ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { RecordedEvent } from "@hostledger/store";

import { persistent, streams } from "./protocol.ts";
import { fromStoredText } from "./stored-text.ts";
import {
  deletedRevision,
  encodeStreamName,
  encodeUuid,
  ticksOfTime,
  tombstoneType,
} from "./wire-values.codec.ts";

/** An event as it goes to a client: itself, or what a link points at together with the link. */
export interface ResolvedEvent {
  /** Undefined when the link's target is gone. */
  readonly event: RecordedEvent | undefined;
  readonly link: RecordedEvent | undefined;
}

/** The two generated classes have the same fields and no common ancestor. */
type RecordedMessage =
  | ReadResp.ReadEvent.RecordedEvent
  | InstanceType<typeof persistent.ReadResp.ReadEvent.RecordedEvent>;

export function encodeStreamEvent(resolved: ResolvedEvent, structuredIds: boolean): ReadResp {
  const message = new streams.ReadResp.ReadEvent();
  const { event, link } = resolved;
  if (event !== undefined) {
    message.setEvent(recorded(new streams.ReadResp.ReadEvent.RecordedEvent(), event, structuredIds));
  }
  if (link !== undefined) {
    message.setLink(recorded(new streams.ReadResp.ReadEvent.RecordedEvent(), link, structuredIds));
  }
  message.setCommitPosition(String((link ?? event)?.position ?? 0n));
  return new streams.ReadResp().setEvent(message);
}

export function encodePersistentEvent(
  resolved: ResolvedEvent,
  retries: number,
): InstanceType<typeof persistent.ReadResp> {
  const message = new persistent.ReadResp.ReadEvent();
  const { event, link } = resolved;
  if (event !== undefined) {
    message.setEvent(recorded(new persistent.ReadResp.ReadEvent.RecordedEvent(), event, false));
  }
  if (link !== undefined) {
    message.setLink(recorded(new persistent.ReadResp.ReadEvent.RecordedEvent(), link, false));
  }
  message.setCommitPosition(String((link ?? event)?.position ?? 0n));
  message.setRetryCount(retries);
  return new persistent.ReadResp().setEvent(message);
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

/** While catching up EventStoreDB tells the commit position alone; both forms resume at the same place. */
export function encodeCheckpoint(position: bigint, live: boolean): ReadResp {
  return new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint()
      .setCommitPosition(String(position))
      .setPreparePosition(live ? String(position) : "0"),
  );
}
