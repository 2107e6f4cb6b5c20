import { status } from "@grpc/grpc-js";
import type { StreamIdentifier, UUID } from "@eventstore/db-client/generated/shared_pb.js";

import { shared } from "./protocol.ts";
import { Refusal } from "./refusal.ts";

/**
 * The store has texts, and EventStoreDB's clients send bytes. Bytes that are JSON by their content type and valid
 * UTF-8 are stored as they are. All other bytes are stored as base64 after a prefix that no JSON text has, so that
 * every byte can be restored.
 */
const mark = "\u0001";
const jsonMark = `${mark}j`;
const binaryMark = `${mark}b`;

/** The content types of EventStoreDB. */
export const jsonType = "application/json";
export const binaryType = "application/octet-stream";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the text to store for the bytes. */
export function toStoredText(bytes: Uint8Array, contentType: string): string {
  const isJson = contentType === jsonType;
  const text = isJson ? decodeUtf8(bytes) : undefined;
  if (text !== undefined && !text.startsWith(mark)) return text;
  return (isJson ? jsonMark : binaryMark) + Buffer.from(bytes).toString("base64");
}

/** Returns the stored bytes and their content type. */
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

/** Event types with a meaning in EventStoreDB. */
export const metadataType = "$metadata";
export const tombstoneType = "$streamDeleted";
export const linkType = "$>";

/** Largest revision or position: EventStoreDB has signed 64-bit integers. */
export const largestRevision = 2n ** 63n - 1n;

/** Revision of a tombstone, and the `$tb` of a soft-deleted stream. */
export const deletedRevision = largestRevision;

const streamNameLimit = 500;

/** Ticks of one millisecond and of one microsecond. */
const perMillisecond = 10_000n;
const perMicrosecond = 10n;

/** Converts ISO 8601 UTC with six fractional digits to units of 100 nanoseconds since 1970. */
export function ticksOfTime(time: string): string {
  return String(BigInt(Date.parse(time)) * perMillisecond + BigInt(time.slice(23, 26)) * perMicrosecond);
}

/**
 * Converts units of 100 nanoseconds since 1970 to ISO 8601 UTC with six fractional digits. It works on texts, because
 * the number is above 2^53.
 */
export function timeOfTicks(ticks: string): string {
  const digits = ticks.padStart(5, "0");
  const milliseconds = new Date(Number(digits.slice(0, -4))).toISOString().slice(0, -1);
  return `${milliseconds}${digits.slice(-4, -1)}Z`;
}

/** Writes a UUID as a text, or as its two halves if a client asks for them. */
export function encodeUuid(id: string, structured = false): InstanceType<typeof shared.UUID> {
  if (!structured) return new shared.UUID().setString(id);
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return new shared.UUID().setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(String(bytes.readBigInt64BE(0)))
      .setLeastSignificantBits(String(bytes.readBigInt64BE(8))),
  );
}

/** Reads a UUID in either form; an empty text if there is none. */
export function decodeUuid(uuid: UUID | undefined): string {
  const structured = uuid?.getStructured();
  if (structured === undefined) return uuid?.getString().toLowerCase() ?? "";
  return uuidOfBits(
    BigInt(structured.getMostSignificantBits()),
    BigInt(structured.getLeastSignificantBits()),
  );
}

/** Builds a UUID from its two halves, signed or not. */
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

/** @throws Refusal for a name that is missing, empty or longer than 500 characters. */
export function decodeStreamName(identifier: StreamIdentifier | undefined): string {
  const name = Buffer.from(required(identifier, "stream name").getStreamName_asU8()).toString("utf8");
  if (name === "") throw invalid("a stream has a name");
  if (name.length > streamNameLimit) {
    throw invalid(`a stream's name has at most ${String(streamNameLimit)} characters`);
  }
  return name;
}

/** Returns a required field. @throws Refusal if it is missing. */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw invalid(`the request lacks its ${what}`);
  return value;
}

export function invalid(message: string): Refusal {
  return new Refusal(status.INVALID_ARGUMENT, message);
}
