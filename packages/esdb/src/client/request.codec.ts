import type { ReadReq as ReadRequest, BatchAppendReq } from "@eventstore/db-client/generated/streams_pb.js";
import type { EventToAppend, ExpectedRevision, Position } from "@hostledger/event-store";

import { protobufEmpty, protobufTimestamp, shared, streams } from "./protocol.ts";

/** Which part of a stream to ask for. */
export interface StreamPage {
  readonly from: bigint | "end";
  readonly backwards: boolean;
  readonly count: number;
}

export function encodeStreamRead(stream: string, { from, backwards, count }: StreamPage): ReadRequest {
  const place = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifier(stream));
  if (from === "end") place.setEnd(new shared.Empty());
  else place.setRevision(String(from));
  return readRequest(
    options(backwards).setStream(place).setCount(String(count)).setNoFilter(new shared.Empty()),
  );
}

/** The last event of `$all`, whatever it is. */
export function encodeLastRead(): ReadRequest {
  const all = new streams.ReadReq.Options.AllOptions().setEnd(new shared.Empty());
  return readRequest(options(true).setAll(all).setCount("1").setNoFilter(new shared.Empty()));
}

/** No stream's name starts with this: names that do are EventStoreDB's own, and it has none such. */
const nothing = "$hostledger-hears-nothing";
/** Every stream but EventStoreDB's own. */
const notSystem = "^[^$]";

/**
 * A subscription to `$all`, filtered by EventStoreDB.
 *
 * @param window events left out after which the server tells its position.
 */
export function encodeSubscription(
  after: Position | "start",
  prefixes: readonly string[] | undefined,
  window: number,
): ReadRequest {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  if (prefixes === undefined) expression.setRegex(notSystem);
  else expression.setPrefixList(prefixes.length === 0 ? [nothing] : [...prefixes]);
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setStreamIdentifier(expression)
    .setMax(window)
    .setCheckpointintervalmultiplier(1);
  const all = new streams.ReadReq.Options.AllOptions();
  if (after === "start") all.setStart(new shared.Empty());
  else {
    const place = String(after);
    all.setPosition(
      new streams.ReadReq.Options.Position().setCommitPosition(place).setPreparePosition(place),
    );
  }
  const subscription = new streams.ReadReq.Options.SubscriptionOptions();
  return readRequest(options(false).setAll(all).setSubscription(subscription).setFilter(filter));
}

type Options = InstanceType<typeof streams.ReadReq.Options>;

function options(backwards: boolean): Options {
  const { BACKWARDS, FORWARDS } = streams.ReadReq.Options.ReadDirection;
  return new streams.ReadReq.Options()
    .setReadDirection(backwards ? BACKWARDS : FORWARDS)
    .setResolveLinks(false)
    .setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()));
}

function readRequest(what: Options): ReadRequest {
  return new streams.ReadReq().setOptions(what);
}

function identifier(stream: string): InstanceType<typeof shared.StreamIdentifier> {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
}

/** An append on its way: encoded once, sent as often as needed under a new correlation id. */
export interface AppendToSend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

/** Bytes of one message; EventStoreDB takes in 4 MiB, and an append is cut into several when its types are long. */
const messageBytes = 2 * 1_048_576;
/** What an event takes beside its texts. */
const eventOverheadBytes = 128;

/**
 * The messages of one append on the shared stream. Data is marked as JSON and sent byte for byte; the client package
 * would parse and write it anew.
 *
 * @param deadline until when the server may work at it; the server itself sets at most 2 s.
 */
export function encodeAppend(
  correlationId: string,
  { stream, expected, events }: AppendToSend,
  deadline: Date,
): readonly BatchAppendReq[] {
  const messages: BatchAppendReq[] = [];
  let message = part(correlationId).setOptions(target(stream, expected, deadline));
  let bytes = 0;
  for (const event of events) {
    const proposed = proposedMessage(event);
    const size = event.data.length + event.metadata.length + event.type.length + eventOverheadBytes;
    if (bytes > 0 && bytes + size > messageBytes) {
      messages.push(message);
      message = part(correlationId);
      bytes = 0;
    }
    bytes += size;
    message.addProposedMessages(proposed);
  }
  messages.push(message.setIsFinal(true));
  return messages;
}

function part(correlationId: string): InstanceType<typeof streams.BatchAppendReq> {
  return new streams.BatchAppendReq().setCorrelationId(new shared.UUID().setString(correlationId));
}

function target(
  stream: string,
  expected: ExpectedRevision,
  deadline: Date,
): InstanceType<typeof streams.BatchAppendReq.Options> {
  const made = new streams.BatchAppendReq.Options()
    .setStreamIdentifier(identifier(stream))
    .setDeadline(protobufTimestamp.Timestamp.fromDate(deadline));
  if (expected === "any") return made.setAny(new protobufEmpty.Empty());
  if (expected === "no-stream") return made.setNoStream(new protobufEmpty.Empty());
  if (expected === "stream-exists") return made.setStreamExists(new protobufEmpty.Empty());
  return made.setStreamPosition(String(expected));
}

function proposedMessage({
  id,
  type,
  data,
  metadata,
}: EventToAppend): InstanceType<typeof streams.BatchAppendReq.ProposedMessage> {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(new shared.UUID().setString(id));
  message.getMetadataMap().set("type", type).set("content-type", "application/json");
  message.setData(Buffer.from(data));
  return metadata === "" ? message : message.setCustomMetadata(Buffer.from(metadata));
}
