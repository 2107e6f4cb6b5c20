import { status } from "@grpc/grpc-js";
import type { StreamIdentifier, UUID } from "@eventstore/db-client/generated/shared_pb.js";

import { shared } from "./protocol.ts";
import { Refusal } from "./refusal.ts";

/**
 * The store keeps data and metadata as texts; EventStoreDB's clients send bytes. Bytes that are JSON by their content
 * type and valid UTF-8 are kept as they are. Everything else is kept as base64 behind a mark that no JSON text can
 * start with, so that every byte comes back.
 */
const mark = "\u0001";
const jsonMark = `${mark}j`;
const binaryMark = `${mark}b`;

/** The content types of EventStoreDB. */
export const jsonType = "application/json";
export const binaryType = "application/octet-stream";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text in which the bytes are stored. */
export function toStoredText(bytes: Uint8Array, contentType: string): string {
  const isJson = contentType === jsonType;
  const text = isJson ? decodeUtf8(bytes) : undefined;
  if (text !== undefined && !text.startsWith(mark)) return text;
  return (isJson ? jsonMark : binaryMark) + Buffer.from(bytes).toString("base64");
}

/** The bytes and the content type that were stored. */
export function fromStoredText(text: string): { readonly bytes: Uint8Array; readonly contentType: string } {
  if (!text.startsWith(mark)) return { bytes: Buffer.from(text), contentType: jsonType };
  return {
    bytes: Buffer.from(text.slice(2), "base64"),
    contentType: text.startsWith(jsonMark) ? jsonType : binaryType,
  };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Types of events that EventStoreDB gives a meaning. */
export const metadataType = "$metadata";
export const tombstoneType = "$streamDeleted";
export const linkType = "$>";

/** The largest revision or position: EventStoreDB counts in signed integers of 64 bits. */
export const largestRevision = 2n ** 63n - 1n;

/** The revision of a tombstone, and the `$tb` of a soft-deleted stream. */
export const deletedRevision = largestRevision;

const streamNameLimit = 500;

/** Ticks of one millisecond and of one microsecond. */
const perMillisecond = 10_000n;
const perMicrosecond = 10n;

/** Units of 100 nanoseconds since 1970, from ISO 8601 in UTC with six fractional digits. */
export function ticksOfTime(time: string): string {
  return String(BigInt(Date.parse(time)) * perMillisecond + BigInt(time.slice(23, 26)) * perMicrosecond);
}

/**
 * A server's time, in units of 100 nanoseconds since 1970, as ISO 8601 UTC with six fractional digits. It is cut as a
 * text: the number is beyond 2^53.
 */
export function timeOfTicks(ticks: string): string {
  const digits = ticks.padStart(5, "0");
  const milliseconds = new Date(Number(digits.slice(0, -4))).toISOString().slice(0, -1);
  return `${milliseconds}${digits.slice(-4, -1)}Z`;
}

/** A UUID as a text or, where a client asks for it, as its two halves. */
export function encodeUuid(id: string, structured = false): InstanceType<typeof shared.UUID> {
  if (!structured) return new shared.UUID().setString(id);
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return new shared.UUID().setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(String(bytes.readBigInt64BE(0)))
      .setLeastSignificantBits(String(bytes.readBigInt64BE(8))),
  );
}

/** A UUID in either of its two forms; an empty text when there is none. */
export function decodeUuid(uuid: UUID | undefined): string {
  const structured = uuid?.getStructured();
  if (structured === undefined) return uuid?.getString().toLowerCase() ?? "";
  return uuidOfBits(
    BigInt(structured.getMostSignificantBits()),
    BigInt(structured.getLeastSignificantBits()),
  );
}

/** A UUID of its two halves, signed or not. */
export function uuidOfBits(most: bigint, least: bigint): string {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, most), 0);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, least), 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export function encodeStreamName(name: string): InstanceType<typeof shared.StreamIdentifier> {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(name));
}

/** @throws Refusal a name that is missing, empty or longer than 500 characters. */
export function decodeStreamName(identifier: StreamIdentifier | undefined): string {
  const name = Buffer.from(required(identifier, "stream name").getStreamName_asU8()).toString("utf8");
  if (name === "") throw invalid("a stream has a name");
  if (name.length > streamNameLimit) {
    throw invalid(`a stream's name has at most ${String(streamNameLimit)} characters`);
  }
  return name;
}

/** What a request must have. @throws Refusal it has none. */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw invalid(`the request lacks its ${what}`);
  return value;
}

/** The refusal of a request that is wrong in itself. */
export function invalid(message: string): Refusal {
  return new Refusal(status.INVALID_ARGUMENT, message);
}
