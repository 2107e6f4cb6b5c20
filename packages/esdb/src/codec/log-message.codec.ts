import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { Position, RecordedEvent } from "@hostledger/store";

import { timeOfTicks } from "./wire-values.codec.ts";

/** Message of the server in a read or a subscription. */
export type LogMessage =
  | { readonly kind: "event"; readonly event: RecordedEvent }
  | { readonly kind: "checkpoint"; readonly position: Position }
  | { readonly kind: "caught-up" }
  | { readonly kind: "fell-behind" }
  | { readonly kind: "missing-stream" }
  | { readonly kind: "other" };

/**
 * Decodes one answer of Read. The generated classes take twice the processor time. A test compares this decoder with
 * them; the field numbers are those of EventStoreDB's `streams.proto` and `shared.proto`.
 * @throws Error if the bytes are no such answer.
 */
export function decodeLogMessage(bytes: Buffer): LogMessage {
  const reader = new BinaryReader(bytes, utf8);
  let message: LogMessage = { kind: "other" };
  eachField(reader, reader.len, (field) => {
    if (field === 1) message = readEvent(reader);
    else if (field === 3) message = { kind: "checkpoint", position: readCommitPosition(reader) };
    else if (field === 4) message = { kind: "missing-stream" };
    else if (field === 8) message = { kind: "caught-up" };
    else if (field === 9) message = { kind: "fell-behind" };
    return field === 1 || field === 3;
  });
  return message;
}

/** A link without its target has no event. The client asks for no links, so an event is the stream's own. */
function readEvent(reader: BinaryReader): LogMessage {
  let message: LogMessage = { kind: "other" };
  eachField(reader, endOf(reader), (field) => {
    if (field === 1) message = { kind: "event", event: readRecorded(reader) };
    return field === 1;
  });
  return message;
}

/** Fields with default values are not sent, so each field begins with its default. */
function readRecorded(reader: BinaryReader): RecordedEvent {
  let [stream, id, data, metadata] = ["", "", "", ""];
  let [revision, position] = [0n, 0n];
  let [type, created] = ["", "0"];
  eachField(reader, endOf(reader), (field) => {
    if (field === 1) id = readTexts(reader)[2] ?? "";
    else if (field === 2) stream = readTexts(reader)[3] ?? "";
    else if (field === 3) revision = BigInt(reader.uint64());
    else if (field === 5) position = BigInt(reader.uint64());
    else if (field === 6) {
      const entry = readTexts(reader);
      if (entry[1] === "type") type = entry[2] ?? "";
      else if (entry[1] === "created") created = entry[2] ?? "";
    } else if (field === 7) metadata = reader.string();
    else if (field === 8) data = reader.string();
    else return false;
    return true;
  });
  if (type === "" || stream === "") throw new Error("an event lacks its type or its stream");
  const time = timeOfTicks(created);
  return { stream, revision, position, time, id: id.toLowerCase(), type, data, metadata };
}

/** Reads a message that only has texts (an id, a stream's name, an entry of a map), by field number. */
function readTexts(reader: BinaryReader): readonly (string | undefined)[] {
  const texts: string[] = [];
  eachField(reader, endOf(reader), (field) => {
    texts[field] = reader.string();
    return true;
  });
  return texts;
}

function readCommitPosition(reader: BinaryReader): Position {
  let position = 0n;
  eachField(reader, endOf(reader), (field) => {
    if (field === 1) position = BigInt(reader.uint64());
    return field === 1;
  });
  return position;
}

function endOf(reader: BinaryReader): number {
  return reader.uint32() + reader.pos;
}

/** Visits the fields of a message. @param read reads the field's value, or returns false. */
function eachField(reader: BinaryReader, end: number, read: (field: number) => boolean): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (!read(field)) reader.skip(wireType, field);
  }
}

/**
 * Slices of a Buffer are Buffers. Unlike TextDecoder, this keeps a byte order mark, so that texts keep all their
 * bytes.
 */
function utf8(bytes: Uint8Array): string {
  return (bytes as Buffer).toString();
}
