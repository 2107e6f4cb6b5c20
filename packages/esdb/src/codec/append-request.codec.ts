import type {
  AppendReq,
  BatchAppendReq,
  DeleteReq,
  TombstoneReq,
} from "@eventstore/db-client/generated/streams_pb.js";
import type { ExpectedRevision } from "@hostledger/store";

import { protobufEmpty, protobufTimestamp, streams } from "./protocol.ts";
import {
  binaryType,
  decodeStreamName,
  decodeUuid,
  encodeStreamName,
  encodeUuid,
  invalid,
  largestRevision,
  required,
} from "./wire-values.codec.ts";

/** Stream and expectation of an append, a deletion or a tombstone. */
export interface WriteTarget {
  readonly stream: string;
  readonly expected: ExpectedRevision;
}

/** An event to store: bytes and their content type. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  /** Empty if the event has no metadata. */
  readonly metadata: Uint8Array;
}

type BatchMessage = InstanceType<typeof streams.BatchAppendReq>;

/** One message of an append on the shared stream; the last message is marked. */
export function encodeBatchPart(correlationId: string, events: readonly ProposedEvent[]): BatchMessage {
  return new streams.BatchAppendReq()
    .setCorrelationId(encodeUuid(correlationId))
    .setProposedMessagesList(events.map(encodeProposed));
}

/** Builds the options in an append's first message. @param deadline time limit for the server. */
export function encodeBatchTarget(
  { stream, expected }: WriteTarget,
  deadline: Date,
): InstanceType<typeof streams.BatchAppendReq.Options> {
  const made = new streams.BatchAppendReq.Options()
    .setStreamIdentifier(encodeStreamName(stream))
    .setDeadline(protobufTimestamp.Timestamp.fromDate(deadline));
  if (expected === "any") return made.setAny(new protobufEmpty.Empty());
  if (expected === "no-stream") return made.setNoStream(new protobufEmpty.Empty());
  if (expected === "stream-exists") return made.setStreamExists(new protobufEmpty.Empty());
  return made.setStreamPosition(String(expected));
}

/** The four forms of an expectation; requests differ only in the name of the revision's field. */
interface Expectation {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

function decodeExpectation(options: Expectation, revision: string): ExpectedRevision {
  if (options.hasNoStream()) return "no-stream";
  if (options.hasAny()) return "any";
  if (options.hasStreamExists()) return "stream-exists";
  const value = BigInt(revision);
  if (value < 0n || value > largestRevision) throw invalid(`${revision} is no expected revision`);
  return value;
}

/** @throws Refusal for an invalid name or expectation, as do the next two functions. */
export function decodeAppendTarget(options: AppendReq.Options): WriteTarget {
  return {
    stream: decodeStreamName(options.getStreamIdentifier()),
    expected: decodeExpectation(options, options.getRevision()),
  };
}

export function decodeBatchTarget(options: BatchAppendReq.Options): WriteTarget {
  return {
    stream: decodeStreamName(options.getStreamIdentifier()),
    expected: decodeExpectation(options, options.getStreamPosition()),
  };
}

export function decodeDeletion(request: DeleteReq | TombstoneReq): WriteTarget {
  const options = required(request.getOptions(), "options");
  return {
    stream: decodeStreamName(options.getStreamIdentifier()),
    expected: decodeExpectation(options, options.getRevision()),
  };
}

function encodeProposed({
  id,
  type,
  contentType,
  data,
  metadata,
}: ProposedEvent): InstanceType<typeof streams.BatchAppendReq.ProposedMessage> {
  const message = new streams.BatchAppendReq.ProposedMessage().setId(encodeUuid(id)).setData(data);
  message.getMetadataMap().set("type", type).set("content-type", contentType);
  return metadata.length === 0 ? message : message.setCustomMetadata(metadata);
}

/** @throws Refusal for an event without an id or a type. */
export function decodeProposed(
  message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage,
): ProposedEvent {
  const custom = message.getMetadataMap();
  const type = custom.get("type");
  if (type === undefined || type === "") throw invalid("an event has a type");
  return {
    id: decodeUuid(required(message.getId(), "event id")),
    type,
    contentType: custom.get("content-type") ?? binaryType,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}
