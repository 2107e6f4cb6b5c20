import type { EventToRestore } from "../event-store.port.ts";
import { TransferError } from "./transfer-error.ts";

/** The name in the first line, by which a file of ours is known. */
const format = "hostledger-store";

/** The version of the format that is written, and the only one that is read. */
const version = 1;

/** An event as a file carries it. */
export interface TransferEvent extends EventToRestore {
  readonly stream: string;
  readonly revision: bigint;
  /** Where it stood in the store it comes from; for information and for checking the order. */
  readonly position: bigint;
}

/** What the first line says besides the format and its version. */
export interface TransferHeader {
  /** When the export began: ISO 8601 UTC. */
  readonly exportedAt: string;
  /** The engine it comes from, for example `embedded`. */
  readonly engine: string;
}

/** What a file holds, as its last line states it. */
export interface TransferSummary {
  readonly events: number;
  readonly streams: number;
  /** SHA-256 over all bytes before the last line, in lower-case hex. */
  readonly sha256: string;
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const positionForm = /^(0|[1-9]\d{0,18})$/;

/** The first line, with its newline. */
export function headerLine({ exportedAt, engine }: TransferHeader): string {
  return `${JSON.stringify({ format, version, exportedAt, engine })}\n`;
}

/** The line of an event, with its newline. Data and metadata are texts in it, so that they stay byte for byte. */
export function eventLine(event: TransferEvent): string {
  const { stream, revision, id, type, time, data, metadata, position } = event;
  const line = { stream, revision: Number(revision), id, type, time, data, metadata };
  return `${JSON.stringify({ ...line, position: String(position) })}\n`;
}

/** The last line, with its newline. A reader builds it again and compares, so that no byte of it goes unchecked. */
export function trailerLine({ events, streams, sha256 }: TransferSummary): string {
  return `${JSON.stringify({ end: format, events, streams, sha256 })}\n`;
}

/** True for a line that can only be meant as the last one: no event begins so. */
export function isTrailer(line: string): boolean {
  return line.startsWith('{"end":');
}

/** Reads the first line. @throws TransferError it is of something else, or of a newer version. */
export function readHeader(line: string): void {
  const header = parseObject(line);
  if (header?.format !== format) {
    throw new TransferError("The file is no export of a Hostledger store: its first line does not say so.");
  }
  if (header.version !== version) {
    throw new TransferError(
      `The file has version ${String(header.version)} of the format, this Hostledger reads version ${String(version)}: use the Hostledger that wrote it, or a newer one.`,
    );
  }
}

/** Reads the line of an event. @param number of the line, the first being 1. @throws TransferError */
export function readEvent(line: string, number: number): TransferEvent {
  const event = parseObject(line);
  if (event === undefined) throw damaged(number, "it is no JSON object");
  const text = (name: string): string => {
    const value = event[name];
    if (typeof value !== "string") throw damaged(number, `${name} is no text`);
    return value;
  };
  const { revision } = event;
  if (typeof revision !== "number" || !Number.isSafeInteger(revision) || revision < 0) {
    throw damaged(number, "revision is no revision");
  }
  const [time, position] = [text("time"), text("position")];
  if (!timeForm.test(time)) throw damaged(number, "time is no instant in UTC with six fractional digits");
  if (!positionForm.test(position)) throw damaged(number, "position is no position");
  return {
    stream: text("stream"),
    revision: BigInt(revision),
    id: text("id"),
    type: text("type"),
    time,
    data: text("data"),
    metadata: text("metadata"),
    position: BigInt(position),
  };
}

/** The refusal of a line. */
export function damaged(number: number, reason: string): TransferError {
  return new TransferError(`The file is damaged: line ${String(number)}, ${reason}.`);
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
