import type { EventToRestore } from "../event-store.port.ts";
import { TransferError } from "./transfer-error.ts";

/** Format name in the first line, which identifies our files. */
const format = "hostledger-store";

/** Format version to write, and the only one to read. */
const version = 1;

export interface TransferEvent extends EventToRestore {
  readonly stream: string;
  readonly revision: bigint;
  /** Its position in the original store, for information and to check the order. */
  readonly position: bigint;
}

/** Values of the first line besides the format and its version. */
export interface TransferHeader {
  /** Begin of the export: ISO 8601 UTC. */
  readonly exportedAt: string;
  readonly engine: string;
}

export interface TransferSummary {
  readonly events: number;
  readonly streams: number;
  /** SHA-256 over all bytes before the last line, in lower-case hex. */
  readonly sha256: string;
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const positionForm = /^(0|[1-9]\d{0,18})$/;

/** Makes the first line, with its newline. */
export function headerLine({ exportedAt, engine }: TransferHeader): string {
  return `${JSON.stringify({ format, version, exportedAt, engine })}\n`;
}

/**
 * Makes the line of an event, with its newline. Data and metadata are JSON strings in it, so that they stay byte for
 * byte.
 */
export function eventLine(event: TransferEvent): string {
  const { stream, revision, id, type, time, data, metadata, position } = event;
  const line = { stream, revision: Number(revision), id, type, time, data, metadata };
  return `${JSON.stringify({ ...line, position: String(position) })}\n`;
}

/** Makes the last line, with its newline. A reader makes it again and compares, so that every byte is checked. */
export function trailerLine({ events, streams, sha256 }: TransferSummary): string {
  return `${JSON.stringify({ end: format, events, streams, sha256 })}\n`;
}

/** True for a last line; no event begins like this. */
export function isTrailer(line: string): boolean {
  return line.startsWith('{"end":');
}

/** Checks the first line. @throws TransferError it has another format or a newer version. */
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

/**
 * Reads the line of an event.
 * @param number number of the line, from 1.
 * @throws TransferError
 */
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
