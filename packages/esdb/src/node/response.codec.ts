import type { BatchAppendReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { Message } from "google-protobuf";
import type { AppendResult, ExpectedRevision, RecordedEvent } from "@hostledger/event-store";

import { toNodeError, type NodeError } from "./node-error.ts";
import { code, persistent, protobufAny, protobufEmpty, shared, status, streams } from "./protocol.ts";
import { fromStoredText } from "./stored-text.ts";
import { deletedRevision, tombstoneType } from "./stream-facts.ts";
import { ticks } from "./ticks.ts";

/** An event as it goes to a client: itself, or what a link points at together with the link. */
export interface ResolvedEvent {
  /** Undefined when the link's target is gone. */
  readonly event: RecordedEvent | undefined;
  readonly link: RecordedEvent | undefined;
}

/** The two generated classes have the same fields and no common ancestor. */
type RecordedMessage =
  ReadResp.ReadEvent.RecordedEvent | InstanceType<typeof persistent.ReadResp.ReadEvent.RecordedEvent>;

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
  message.setStreamIdentifier(streamIdentifier(event.stream));
  message.setStreamRevision(String(event.type === tombstoneType ? deletedRevision : event.revision));
  message.setCommitPosition(position);
  message.setPreparePosition(position);
  message.setData(bytes);
  if (event.metadata !== "") message.setCustomMetadata(fromStoredText(event.metadata).bytes);
  const metadata = message.getMetadataMap();
  metadata.set("type", event.type);
  metadata.set("content-type", contentType);
  metadata.set("created", ticks(event.time));
  return message;
}

export function encodeUuid(id: string, structured = false): InstanceType<typeof shared.UUID> {
  if (!structured) return new shared.UUID().setString(id);
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return new shared.UUID().setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(String(bytes.readBigInt64BE(0)))
      .setLeastSignificantBits(String(bytes.readBigInt64BE(8))),
  );
}

export function streamIdentifier(name: string): InstanceType<typeof shared.StreamIdentifier> {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(name));
}

export function encodeStreamNotFound(stream: string): ReadResp {
  return new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)),
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

export function encodeAppended({
  revision,
  position,
}: AppendResult): InstanceType<typeof streams.AppendResp> {
  return new streams.AppendResp().setSuccess(
    new streams.AppendResp.Success()
      .setCurrentRevision(String(revision))
      .setPosition(
        new streams.AppendResp.Position()
          .setCommitPosition(String(position))
          .setPreparePosition(String(position)),
      ),
  );
}

export function encodeAppendConflict(
  expected: ExpectedRevision,
  actual: string | undefined,
): InstanceType<typeof streams.AppendResp> {
  const conflict = new streams.AppendResp.WrongExpectedVersion();
  if (actual === undefined) conflict.setCurrentNoStream(new shared.Empty());
  else conflict.setCurrentRevision(actual);
  if (expected === "any") conflict.setExpectedAny(new shared.Empty());
  else if (expected === "no-stream") conflict.setExpectedNoStream(new shared.Empty());
  else if (expected === "stream-exists") conflict.setExpectedStreamExists(new shared.Empty());
  else conflict.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(conflict);
}

export function encodeDeleted({ position }: AppendResult): InstanceType<typeof streams.DeleteResp> {
  return new streams.DeleteResp().setPosition(
    new streams.DeleteResp.Position()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  );
}

export function encodeTombstoned({ position }: AppendResult): InstanceType<typeof streams.TombstoneResp> {
  return new streams.TombstoneResp().setPosition(
    new streams.TombstoneResp.Position()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  );
}

/** An append of no events succeeds and stores nothing: it tells the revision that is there, and no position. */
export function encodeNothingAppended(last: bigint | "no-stream"): InstanceType<typeof streams.AppendResp> {
  const success = new streams.AppendResp.Success().setNoPosition(new shared.Empty());
  if (last === "no-stream") success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(last));
  return new streams.AppendResp().setSuccess(success);
}

/** The same for the shared stream of appends. */
export function batchNothingAppended(
  last: bigint | "no-stream",
): InstanceType<typeof streams.BatchAppendResp.Success> {
  const success = new streams.BatchAppendResp.Success().setNoPosition(new protobufEmpty.Empty());
  return last === "no-stream"
    ? success.setNoStream(new protobufEmpty.Empty())
    : success.setCurrentRevision(String(last));
}

/** The answer's frame: whose append it is, of which stream, expecting what. */
export function batchFrame(
  correlation: InstanceType<typeof shared.UUID> | undefined,
  options: BatchAppendReq.Options | undefined,
): InstanceType<typeof streams.BatchAppendResp> {
  const frame = new streams.BatchAppendResp();
  frame.setCorrelationId(correlation);
  if (options === undefined) return frame;
  frame.setStreamIdentifier(options.getStreamIdentifier());
  if (options.hasStreamPosition()) frame.setStreamPosition(options.getStreamPosition());
  if (options.hasAny()) frame.setAny(new protobufEmpty.Empty());
  if (options.hasNoStream()) frame.setNoStream(new protobufEmpty.Empty());
  if (options.hasStreamExists()) frame.setStreamExists(new protobufEmpty.Empty());
  return frame;
}

export function batchAppended({
  revision,
  position,
}: AppendResult): InstanceType<typeof streams.BatchAppendResp.Success> {
  return new streams.BatchAppendResp.Success()
    .setCurrentRevision(String(revision))
    .setPosition(
      new shared.AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position)),
    );
}

/** Two enumerations hold the same numbers: gRPC's own, and that of google.rpc. */
const codes = new Map(
  Object.values(code.Code)
    .filter((value) => typeof value !== "string")
    .map((value): [number, typeof value] => [value, value]),
);

/** A refusal inside the shared batch stream: its details' type is what clients go by, so there are always some. */
export function batchRefused(error: unknown): InstanceType<typeof status.Status> {
  const refusal = toNodeError(error);
  const details = new protobufAny.Any();
  const [type, message] = refusalDetails(refusal);
  details.pack(message.serializeBinary(), type);
  const answer = new status.Status();
  answer.setCode(codes.get(refusal.code) ?? code.Code.UNKNOWN);
  return answer.setMessage(refusal.message).setDetails(details);
}

function refusalDetails({ kind, fields }: NodeError): readonly [string, Message] {
  const stream = fields["stream-name"] ?? "";
  switch (kind) {
    case "wrong-expected-version":
      return ["event_store.client.WrongExpectedVersion", conflictDetails(fields)];
    case "stream-deleted":
      return [
        "event_store.client.StreamDeleted",
        new shared.StreamDeleted().setStreamIdentifier(streamIdentifier(stream)),
      ];
    case "access-denied":
      return ["event_store.client.AccessDenied", new shared.AccessDenied()];
    case "timeout":
      return ["event_store.client.Timeout", new shared.Timeout()];
    case "maximum-append-size-exceeded":
      return [
        "event_store.client.MaximumAppendSizeExceeded",
        new shared.MaximumAppendSizeExceeded().setMaxappendsize(Number(fields["maximum-append-size"])),
      ];
    default:
      return ["google.protobuf.Empty", new protobufEmpty.Empty()];
  }
}

function conflictDetails(fields: Readonly<Record<string, string>>): Message {
  const details = new shared.WrongExpectedVersion();
  const actual = fields["actual-version"];
  if (actual === undefined) details.setCurrentNoStream(new protobufEmpty.Empty());
  else details.setCurrentStreamRevision(actual);
  const expected = fields["expected-version"];
  if (expected === "-1") details.setExpectedNoStream(new protobufEmpty.Empty());
  else if (expected === "-2") details.setExpectedAny(new protobufEmpty.Empty());
  else if (expected === "-4") details.setExpectedStreamExists(new protobufEmpty.Empty());
  else details.setExpectedStreamPosition(expected ?? "0");
  return details;
}
