import { status } from "@grpc/grpc-js";
import type {
  BatchAppendReq,
  AppendReq,
  DeleteReq,
  ReadReq,
  TombstoneReq,
} from "@eventstore/db-client/generated/streams_pb.js";
import type { StreamIdentifier, UUID } from "@eventstore/db-client/generated/shared_pb.js";
import type { EventToAppend, ExpectedRevision } from "@hostledger/event-store";

import type { FilterRequest } from "./event-filter.ts";
import { NodeError } from "./node-error.ts";
import { streams } from "./protocol.ts";
import { binaryType, jsonType, toStoredText } from "./stored-text.ts";

/** Where to begin: both ends, or a revision of the stream, or a position of the log. */
export type Begin = bigint | "start" | "end";

/** A reading or a subscription, as a client asks for it. */
export interface ReadRequest {
  /** Undefined: the log of all streams. */
  readonly stream: string | undefined;
  readonly from: Begin;
  readonly backwards: boolean;
  readonly resolveLinks: boolean;
  readonly structuredIds: boolean;
  /** Undefined: a subscription. */
  readonly limit: number | undefined;
  readonly filter: FilterRequest | undefined;
}

const streamNameLimit = 500;
/** Window of a filter when the client names none, in events; EventStoreDB's own. */
const defaultWindow = 32;
const largestRevision = 2n ** 63n - 1n;

export function decodeRead(request: ReadReq): ReadRequest {
  const options = required(request.getOptions(), "options");
  const stream = options.getStream();
  const filter = options.getFilter();
  return {
    stream: stream === undefined ? undefined : streamName(stream.getStreamIdentifier()),
    from: stream === undefined ? allBegin(options) : streamBegin(stream),
    backwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    resolveLinks: options.getResolveLinks(),
    structuredIds: options.getUuidOption()?.hasStructured() ?? false,
    limit: options.hasSubscription() ? undefined : Number(options.getCount()),
    filter: filter === undefined ? undefined : decodeFilter(filter),
  };
}

function streamBegin(stream: ReadReq.Options.StreamOptions): Begin {
  if (stream.hasEnd()) return "end";
  return stream.hasRevision() ? BigInt(stream.getRevision()) : "start";
}

function allBegin(options: ReadReq.Options): Begin {
  const all = required(options.getAll(), "stream or all");
  if (all.hasEnd()) return "end";
  const position = all.getPosition();
  return position === undefined ? "start" : BigInt(position.getCommitPosition());
}

/** What both filter messages (of Read, and of a persistent subscription to `$all`) have. */
interface FilterMessage {
  getStreamIdentifier(): { getRegex(): string; getPrefixList(): string[] } | undefined;
  getEventType(): { getRegex(): string; getPrefixList(): string[] } | undefined;
  hasMax(): boolean;
  getMax(): number;
  getCheckpointintervalmultiplier(): number;
}

export function decodeFilter(filter: FilterMessage): FilterRequest {
  const byType = filter.getEventType();
  const expression = required(byType ?? filter.getStreamIdentifier(), "filter expression");
  const window = filter.hasMax() ? filter.getMax() : defaultWindow;
  return {
    on: byType === undefined ? "stream" : "type",
    regex: expression.getRegex(),
    prefixes: expression.getPrefixList(),
    checkpointInterval: Math.max(1, window) * Math.max(1, filter.getCheckpointintervalmultiplier()),
  };
}

/** The four ways to state what is expected; requests differ in the name of the revision's field only. */
interface Expectation {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

function expectation(options: Expectation, revision: string): ExpectedRevision {
  if (options.hasNoStream()) return "no-stream";
  if (options.hasAny()) return "any";
  if (options.hasStreamExists()) return "stream-exists";
  const value = BigInt(revision);
  if (value < 0n || value > largestRevision) throw invalid(`${revision} is no expected revision`);
  return value;
}

/** The stream that an append, a deletion or a tombstone is for, and what it expects of it. */
export interface WriteTarget {
  readonly stream: string;
  readonly expected: ExpectedRevision;
}

export function decodeAppendTarget(options: AppendReq.Options): WriteTarget {
  return {
    stream: streamName(options.getStreamIdentifier()),
    expected: expectation(options, options.getRevision()),
  };
}

export function decodeBatchTarget(options: BatchAppendReq.Options): WriteTarget {
  return {
    stream: streamName(options.getStreamIdentifier()),
    expected: expectation(options, options.getStreamPosition()),
  };
}

export function decodeDeletion(request: DeleteReq | TombstoneReq): WriteTarget {
  const options = required(request.getOptions(), "options");
  return {
    stream: streamName(options.getStreamIdentifier()),
    expected: expectation(options, options.getRevision()),
  };
}

export function decodeProposed(
  message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage,
): EventToAppend {
  const metadata = message.getMetadataMap();
  const custom = message.getCustomMetadata_asU8();
  const type = metadata.get("type");
  if (type === undefined || type === "") throw invalid("an event has a type");
  return {
    id: decodeUuid(required(message.getId(), "event id")),
    type,
    data: toStoredText(message.getData_asU8(), metadata.get("content-type") ?? binaryType),
    metadata: custom.length === 0 ? "" : metadataText(custom),
  };
}

/** Metadata has no content type of its own: it is kept as text when it is one, whatever the data is. */
function metadataText(bytes: Uint8Array): string {
  return toStoredText(bytes, jsonType);
}

export function decodeUuid(uuid: UUID): string {
  const structured = uuid.getStructured();
  if (structured === undefined) return uuid.getString().toLowerCase();
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64BE(BigInt(structured.getMostSignificantBits()), 0);
  bytes.writeBigInt64BE(BigInt(structured.getLeastSignificantBits()), 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export function streamName(identifier: StreamIdentifier | undefined): string {
  const name = Buffer.from(required(identifier, "stream name").getStreamName_asU8()).toString("utf8");
  if (name === "") throw invalid("a stream has a name");
  if (name.length > streamNameLimit) {
    throw invalid(`a stream's name has at most ${String(streamNameLimit)} characters`);
  }
  return name;
}

export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw invalid(`the request lacks its ${what}`);
  return value;
}

function invalid(message: string): NodeError {
  return new NodeError(status.INVALID_ARGUMENT, message);
}
