import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";

import { shared, streams } from "./protocol.ts";
import { decodeStreamName, encodeStreamName, required } from "./wire-values.codec.ts";

/** Start of a read: one of the ends, a revision of the stream, or a position of the log. */
export type Begin = bigint | "start" | "end";

/** A client's filter of `$all`: a regular expression or prefixes, for the stream's name or the type. */
export interface FilterRequest {
  readonly on: "stream" | "type";
  /** If empty, the prefixes apply. */
  readonly regex: string;
  readonly prefixes: readonly string[];
  /** Filtered events after which the server sends its position. */
  readonly checkpointInterval: number;
}

/** A client's request for a read or a subscription. */
export interface ReadRequest {
  /** Undefined means the log of all streams. */
  readonly stream: string | undefined;
  readonly from: Begin;
  readonly backwards: boolean;
  readonly resolveLinks: boolean;
  readonly structuredIds: boolean;
  /** Undefined means a subscription. */
  readonly limit: number | undefined;
  readonly filter: FilterRequest | undefined;
}

/** Default window of a filter in events, as in EventStoreDB. */
const defaultWindow = 32;

export function encodeRead(request: ReadRequest): InstanceType<typeof streams.ReadReq> {
  const { stream, from, backwards, resolveLinks, structuredIds, limit, filter } = request;
  const { BACKWARDS, FORWARDS } = streams.ReadReq.Options.ReadDirection;
  const ids = new streams.ReadReq.Options.UUIDOption();
  if (structuredIds) ids.setStructured(new shared.Empty());
  else ids.setString(new shared.Empty());
  const options = new streams.ReadReq.Options()
    .setReadDirection(backwards ? BACKWARDS : FORWARDS)
    .setResolveLinks(resolveLinks)
    .setUuidOption(ids);
  if (stream === undefined) options.setAll(encodeAllBegin(from));
  else options.setStream(encodeStreamBegin(from).setStreamIdentifier(encodeStreamName(stream)));
  if (limit === undefined) options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  else options.setCount(String(limit));
  if (filter === undefined) options.setNoFilter(new shared.Empty());
  else options.setFilter(encodeFilter(filter));
  return new streams.ReadReq().setOptions(options);
}

/** @throws Refusal if a required field is missing. */
export function decodeRead(request: ReadReq): ReadRequest {
  const options = required(request.getOptions(), "options");
  const stream = options.getStream();
  const filter = options.getFilter();
  return {
    stream: stream === undefined ? undefined : decodeStreamName(stream.getStreamIdentifier()),
    from: stream === undefined ? decodeAllBegin(options) : decodeStreamBegin(stream),
    backwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    resolveLinks: options.getResolveLinks(),
    structuredIds: options.getUuidOption()?.hasStructured() ?? false,
    limit: options.hasSubscription() ? undefined : Number(options.getCount()),
    filter: filter === undefined ? undefined : decodeFilter(filter),
  };
}

function encodeStreamBegin(from: Begin): InstanceType<typeof streams.ReadReq.Options.StreamOptions> {
  const place = new streams.ReadReq.Options.StreamOptions();
  if (from === "end") return place.setEnd(new shared.Empty());
  return from === "start" ? place.setStart(new shared.Empty()) : place.setRevision(String(from));
}

function decodeStreamBegin(stream: ReadReq.Options.StreamOptions): Begin {
  if (stream.hasEnd()) return "end";
  return stream.hasRevision() ? BigInt(stream.getRevision()) : "start";
}

function encodeAllBegin(from: Begin): InstanceType<typeof streams.ReadReq.Options.AllOptions> {
  const place = new streams.ReadReq.Options.AllOptions();
  if (from === "end") return place.setEnd(new shared.Empty());
  if (from === "start") return place.setStart(new shared.Empty());
  const at = String(from);
  return place.setPosition(
    new streams.ReadReq.Options.Position().setCommitPosition(at).setPreparePosition(at),
  );
}

function decodeAllBegin(options: ReadReq.Options): Begin {
  const all = required(options.getAll(), "stream or all");
  if (all.hasEnd()) return "end";
  const position = all.getPosition();
  return position === undefined ? "start" : BigInt(position.getCommitPosition());
}

function encodeFilter({
  on,
  regex,
  prefixes,
  checkpointInterval,
}: FilterRequest): InstanceType<typeof streams.ReadReq.Options.FilterOptions> {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  if (regex === "") expression.setPrefixList([...prefixes]);
  else expression.setRegex(regex);
  const filter = new streams.ReadReq.Options.FilterOptions()
    .setMax(checkpointInterval)
    .setCheckpointintervalmultiplier(1);
  return on === "stream" ? filter.setStreamIdentifier(expression) : filter.setEventType(expression);
}

/** Common fields of both filter messages (of Read, and of a persistent subscription to `$all`). */
interface FilterMessage {
  getStreamIdentifier(): { getRegex(): string; getPrefixList(): string[] } | undefined;
  getEventType(): { getRegex(): string; getPrefixList(): string[] } | undefined;
  hasMax(): boolean;
  getMax(): number;
  getCheckpointintervalmultiplier(): number;
}

/** @throws Refusal for an empty filter. */
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
