import { isUtf8 } from "node:buffer";
import { sha256 } from "./hash.ts";

/** An event as its leaf has it: what the store recorded, without its place in the store. */
export interface LogEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** A UUID in lower case. */
  readonly id: string;
  readonly type: string;
  /** UTC with six fractional digits: `2026-11-21T11:03:26.123456Z`. */
  readonly time: string;
  /** JSON, byte for byte as stored. */
  readonly data: string;
  /** JSON, byte for byte as stored. */
  readonly metadata: string;
}

/** An event cannot be an entry, or bytes are none. The message is a sentence. */
export class EntryError extends Error {
  override readonly name = "EntryError";
}

const fullForm = 1;
const digestForm = 2;
const digestEntryBytes = 37;
const timeBytes = 27;
/** Everything of the full form but its four texts of variable length. */
const fixedBytes = 1 + 2 + 8 + 16 + 2 + timeBytes + 4 + 4;
/** Longest entry of a bundle, in bytes: its length there is a u16. */
export const maximumBundledBytes = 0xffff;
const maximumRevision = 0xffff_ffff_ffff_ffffn;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/u;

/**
 * The full form of an entry; the README documents it byte by byte.
 *
 * @throws EntryError the event does not fit: an id that is no lower-case UUID, a time of another shape, a lone surrogate
 */
export function encodeEntry(event: LogEvent): Uint8Array {
  check(event);
  const streamBytes = Buffer.byteLength(event.stream);
  const typeBytes = Buffer.byteLength(event.type);
  const dataBytes = Buffer.byteLength(event.data);
  const metadataBytes = Buffer.byteLength(event.metadata);
  if (streamBytes > 0xffff || typeBytes > 0xffff)
    throw new EntryError(`The event ${event.id} has a stream or a type of more than 65,535 bytes.`);
  const entry = Buffer.allocUnsafe(fixedBytes + streamBytes + typeBytes + dataBytes + metadataBytes);
  let at = entry.writeUInt8(fullForm, 0);
  at = entry.writeUInt16BE(streamBytes, at);
  at += entry.write(event.stream, at);
  at = entry.writeBigUInt64BE(event.revision, at);
  at += entry.write(event.id.replaceAll("-", ""), at, "hex");
  at = entry.writeUInt16BE(typeBytes, at);
  at += entry.write(event.type, at);
  at += entry.write(event.time, at, "latin1");
  at = entry.writeUInt32BE(dataBytes, at);
  at += entry.write(event.data, at);
  at = entry.writeUInt32BE(metadataBytes, at);
  entry.write(event.metadata, at);
  return entry;
}

/** The entry as it is hashed and stands in bundles: the full form, or its digest where it is over 65,535 bytes. */
export function bundledEntry(entry: Uint8Array): Uint8Array {
  if (entry.length <= maximumBundledBytes) return entry;
  const digest = Buffer.allocUnsafe(digestEntryBytes);
  digest.writeUInt8(digestForm, 0);
  digest.set(sha256(entry), 1);
  digest.writeUInt32BE(entry.length, 33);
  return digest;
}

/** Whether an entry of a bundle is a digest, so that its full form stands elsewhere. */
export function isDigestEntry(entry: Uint8Array): boolean {
  return entry.length === digestEntryBytes && entry[0] === digestForm;
}

/** Reads a full form. @throws EntryError with what is wrong; a digest form is refused, since it holds no event */
export function decodeEntry(entry: Uint8Array): LogEvent {
  const bytes = Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength);
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new EntryError("The entry ends in the middle of a field.");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const form = take(1).readUInt8();
  if (form === digestForm)
    throw new EntryError("The entry is a digest: its full form stands beside the log.");
  if (form !== fullForm) throw new EntryError(`The entry has the unknown form ${String(form)}.`);
  const stream = text(take(take(2).readUInt16BE()));
  const revision = take(8).readBigUInt64BE();
  const id = uuid(take(16));
  const type = text(take(take(2).readUInt16BE()));
  const time = take(timeBytes).toString("latin1");
  if (!timePattern.test(time)) throw new EntryError("The entry's time is not of the form of a time.");
  const data = text(take(take(4).readUInt32BE()));
  const metadata = text(take(take(4).readUInt32BE()));
  if (at !== bytes.length) throw new EntryError("The entry has bytes after its last field.");
  return { stream, revision, id, type, time, data, metadata };
}

function check({ stream, revision, id, type, time, data, metadata }: LogEvent): void {
  if (!uuidPattern.test(id)) throw new EntryError(`The event's id ${id} is not a UUID in lower case.`);
  if (revision < 0n || revision > maximumRevision)
    throw new EntryError(`The event ${id} has the impossible revision ${String(revision)}.`);
  if (!timePattern.test(time)) throw new EntryError(`The event ${id} has a time of another form: ${time}.`);
  if (![stream, type, data, metadata].every((value) => value.isWellFormed()))
    throw new EntryError(`The event ${id} has text that UTF-8 cannot hold (a lone surrogate).`);
}

function text(bytes: Buffer): string {
  // A strict TextDecoder says the same and takes three times as long, four times for each entry.
  if (!isUtf8(bytes)) throw new EntryError("The entry has text that is not UTF-8.");
  return bytes.toString("utf8");
}

function uuid(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
