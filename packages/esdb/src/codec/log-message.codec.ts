import type { Position, RecordedEvent } from "@hostledger/event-store";

import { WireError, WireReader } from "./wire-reader.ts";
import { timeOfTicks, uuidOfBits } from "./wire-values.codec.ts";

/** What the server says in a reading or a subscription. */
export type LogMessage =
  | { readonly kind: "event"; readonly event: RecordedEvent }
  | { readonly kind: "checkpoint"; readonly position: Position }
  | { readonly kind: "caught-up" }
  | { readonly kind: "fell-behind" }
  | { readonly kind: "missing-stream" }
  | { readonly kind: "other" };

/**
 * Reads one answer of Read straight from its bytes. The generated classes make a dozen objects of each event, which
 * takes half of the time of a long reading; here it becomes the port's event at once, and every text is its bytes.
 * The numbers are those of EventStoreDB's `streams.proto` and `shared.proto`; a test compares both ways.
 *
 * @throws WireError what came is not such an answer.
 */
export function decodeLogMessage(bytes: Buffer): LogMessage {
  const reader = new WireReader(bytes);
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    switch (field) {
      case 1:
        return readEvent(reader.message());
      case 3:
        return { kind: "checkpoint", position: commitPosition(reader.message()) };
      case 4:
        return { kind: "missing-stream" };
      case 8:
        return { kind: "caught-up" };
      case 9:
        return { kind: "fell-behind" };
      default:
        reader.skip();
    }
  }
  return { kind: "other" };
}

/** A link whose target is gone has no event. Links are not asked for, so it is a link's own event otherwise. */
function readEvent(reader: WireReader): LogMessage {
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) return { kind: "event", event: recordedEvent(reader.message()) };
    reader.skip();
  }
  return { kind: "other" };
}

function commitPosition(reader: WireReader): Position {
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) return reader.unsigned();
    reader.skip();
  }
  return 0n;
}

/** Fields that hold their default are not sent, so each begins with it. */
function recordedEvent(reader: WireReader): RecordedEvent {
  let [stream, id, data, metadata] = ["", "", "", ""];
  let [revision, position] = [0n, 0n];
  const system = { type: "", created: "0" };
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) id = uuid(reader.message());
    else if (field === 2) stream = streamName(reader.message());
    else if (field === 3) revision = reader.unsigned();
    else if (field === 5) position = reader.unsigned();
    else if (field === 6) readEntry(reader.message(), system);
    else if (field === 7) metadata = reader.text();
    else if (field === 8) data = reader.text();
    else reader.skip();
  }
  if (system.type === "" || stream === "") throw new WireError("an event lacks its type or its stream");
  return {
    stream,
    revision,
    position,
    time: timeOfTicks(system.created),
    id,
    type: system.type,
    data,
    metadata,
  };
}

/** One entry of the map in which the server tells an event's type and time. */
function readEntry(reader: WireReader, system: { type: string; created: string }): void {
  let key = "";
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) key = reader.text();
    else if (field === 2 && key === "type") system.type = reader.text();
    else if (field === 2 && key === "created") system.created = reader.text();
    else reader.skip();
  }
}

function streamName(reader: WireReader): string {
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 3) return reader.text();
    reader.skip();
  }
  return "";
}

function uuid(reader: WireReader): string {
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 2) return reader.text().toLowerCase();
    if (field === 1) return structuredUuid(reader.message());
    reader.skip();
  }
  return "";
}

function structuredUuid(reader: WireReader): string {
  let [most, least] = [0n, 0n];
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) most = reader.unsigned();
    else if (field === 2) least = reader.unsigned();
    else reader.skip();
  }
  return uuidOfBits(most, least);
}
