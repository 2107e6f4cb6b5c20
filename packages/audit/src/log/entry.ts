import { isUtf8 } from "node:buffer";

import { sha256 } from "./hash.ts";

/** An event in a leaf: all stored fields except its position in `$all`. */
export interface LogEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** A UUID in lower case. */
  readonly id: string;
  readonly type: string;
  /** UTC with six fractional digits: `2026-11-21T11:03:26.123456Z`. */
  readonly time: string;
  /** JSON, exactly as stored. */
  readonly data: string;
  readonly metadata: string;
}

/** An event cannot be encoded, or bytes cannot be decoded. The message is a sentence. */
export class EntryError extends Error {
  override readonly name = "EntryError";
}

const fullForm = 1;
const digestForm = 2;
const digestEntryBytes = 37;
const timeBytes = 27;
/** Bytes of the full form without its four texts of variable length. */
const fixedBytes = 1 + 2 + 8 + 16 + 2 + timeBytes + 4 + 4;
/** Maximum bytes of an entry in a bundle, whose length is a u16. */
export const maximumBundledBytes = 0xffff;
const maximumRevision = 0xffff_ffff_ffff_ffffn;

/** Positions of the bytes and hyphens in a UUID's text. */
const uuidBytes = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const uuidHyphens = [8, 13, 18, 23];
const uuidCharacters = 36;

/** Values of hexadecimal digits by character code; -1 for other characters. */
const digitValues = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code)),
);

/** Entries are written into this buffer and then copied, which is faster than computing their length first. */
const workspace = Buffer.alloc(0x1_0000);

const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/u;

/**
 * Encodes an entry in its full form, as the README documents.
 *
 * @throws EntryError if the id is no lower-case UUID, the time has another form, or a text contains a lone surrogate
 */
export function encodeEntry(event: LogEvent): Uint8Array {
  check(event);
  const entry = roomFor(event);
  let at = entry.writeUInt8(fullForm, 0);
  at = writeText(entry, at, 2, event.stream);
  at = entry.writeBigUInt64BE(event.revision, at);
  at = writeUuid(entry, at, event.id);
  at = writeText(entry, at, 2, event.type);
  at += entry.write(event.time, at, "latin1");
  at = writeText(entry, at, 4, event.data);
  at = writeText(entry, at, 4, event.metadata);
  return entry === workspace ? Buffer.from(entry.subarray(0, at)) : entry;
}

/** Returns the shared buffer if the entry fits, or a new one. @throws EntryError if the stream or type is too long */
function roomFor({ id, stream, type, data, metadata }: LogEvent): Buffer {
  const units = stream.length + type.length + data.length + metadata.length;
  // UTF-8 has at most three bytes for each UTF-16 unit.
  if (fixedBytes + 3 * units <= workspace.length) return workspace;
  const [streamBytes, typeBytes] = [Buffer.byteLength(stream), Buffer.byteLength(type)];
  if (streamBytes > 0xffff || typeBytes > 0xffff)
    throw new EntryError(`The event ${id} has a stream or a type of more than 65,535 bytes.`);
  const textBytes = streamBytes + typeBytes + Buffer.byteLength(data) + Buffer.byteLength(metadata);
  return Buffer.allocUnsafe(fixedBytes + textBytes);
}

/** Writes a text after its length of `lengthBytes` bytes. @returns the end of the text */
function writeText(entry: Buffer, at: number, lengthBytes: 2 | 4, text: string): number {
  const textBytes = entry.write(text, at + lengthBytes);
  return entry.writeUIntBE(textBytes, at, lengthBytes) + textBytes;
}

/**
 * Writes the sixteen bytes of a UUID.
 * @returns their end.
 * @throws EntryError if the text is no lower-case UUID
 */
function writeUuid(entry: Buffer, at: number, id: string): number {
  let isUuid = id.length === uuidCharacters && uuidHyphens.every((hyphen) => id[hyphen] === "-");
  let end = at;
  for (const place of uuidBytes) {
    const high = digitValues[id.charCodeAt(place)] ?? -1;
    const low = digitValues[id.charCodeAt(place + 1)] ?? -1;
    isUuid &&= high >= 0 && low >= 0;
    entry[end] = high * 16 + low;
    end += 1;
  }
  if (!isUuid) throw new EntryError(`The event's id ${id} is not a UUID in lower case.`);
  return end;
}

/** Returns the entry for hashing and bundles: the full form, or its digest if it is over 65,535 bytes. */
export function bundledEntry(entry: Uint8Array): Uint8Array {
  if (entry.length <= maximumBundledBytes) return entry;
  const digest = Buffer.allocUnsafe(digestEntryBytes);
  digest.writeUInt8(digestForm, 0);
  digest.set(sha256(entry), 1);
  digest.writeUInt32BE(entry.length, 33);
  return digest;
}

/** Returns true for a digest form, whose full form is stored elsewhere. */
export function isDigestEntry(entry: Uint8Array): boolean {
  return entry.length === digestEntryBytes && entry[0] === digestForm;
}

/** Decodes a full form. @throws EntryError for invalid bytes, and for a digest form, which contains no event */
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
    throw new EntryError("The entry is a digest: its full form is stored beside the log.");
  if (form !== fullForm) throw new EntryError(`The entry has the unknown form ${String(form)}.`);
  const stream = text(take(take(2).readUInt16BE()));
  const revision = take(8).readBigUInt64BE();
  const id = uuid(take(16));
  const type = text(take(take(2).readUInt16BE()));
  const time = take(timeBytes).toString("latin1");
  if (!timePattern.test(time)) throw new EntryError("The entry's time is malformed.");
  const data = text(take(take(4).readUInt32BE()));
  const metadata = text(take(take(4).readUInt32BE()));
  if (at !== bytes.length) throw new EntryError("The entry has bytes after its last field.");
  return { stream, revision, id, type, time, data, metadata };
}

function check({ stream, revision, id, type, time, data, metadata }: LogEvent): void {
  if (revision < 0n || revision > maximumRevision)
    throw new EntryError(`The event ${id} has the impossible revision ${String(revision)}.`);
  if (!timePattern.test(time)) throw new EntryError(`The event ${id} has a malformed time: ${time}.`);
  if (![stream, type, data, metadata].every((value) => value.isWellFormed()))
    throw new EntryError(`The event ${id} has text that UTF-8 cannot hold (a lone surrogate).`);
}

function text(bytes: Buffer): string {
  // `isUtf8` is three to four times faster than a strict TextDecoder.
  if (!isUtf8(bytes)) throw new EntryError("The entry has text that is not UTF-8.");
  return bytes.toString("utf8");
}

function uuid(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Reads an entry bundle (C2SP tlog-tiles): entries after their length as a big-endian u16.
 *
 * @returns views into the bundle, not copies.
 * @throws EntryError if the bundle ends inside an entry
 */
export function parseEntryBundle(bundle: Uint8Array): readonly Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bundle.length) {
    const [high, low] = [bundle[at], bundle[at + 1]];
    const end = at + 2 + (high ?? 0) * 256 + (low ?? 0);
    if (low === undefined || end > bundle.length)
      throw new EntryError(`The entry bundle ends in the middle of its entry ${String(entries.length)}.`);
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return entries;
}

/** Writes an entry bundle. @throws EntryError for an entry over 65,535 bytes, whose digest form belongs in the bundle */
export function formatEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = Buffer.allocUnsafe(entries.reduce((bytes, { length }) => bytes + 2 + length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > maximumBundledBytes)
      throw new EntryError("An entry of a bundle has at most 65,535 bytes.");
    at = bundle.writeUInt16BE(entry.length, at);
    bundle.set(entry, at);
    at += entry.length;
  }
  return bundle;
}
