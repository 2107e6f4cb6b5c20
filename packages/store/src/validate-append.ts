import {
  appendLimits,
  InvalidAppendError,
  type EventToAppend,
  type ExpectedRevision,
} from "./event-store.port.ts";

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const nilUuid = "00000000-0000-0000-0000-000000000000";
const largestRevision = 2n ** 63n - 1n;

/**
 * Refuses an append that breaks a limit or a rule before it is queued. Every engine calls it, because some inputs crash
 * EventStoreDB's client, and all engines must accept the same events.
 * @returns the size of the append in UTF-8 bytes of data and metadata.
 * @throws InvalidAppendError naming the rule.
 */
export function validateAppend(
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): number {
  validateStreamName(stream);
  if (typeof expected === "bigint" && (expected < 0n || expected > largestRevision)) {
    throw new InvalidAppendError(`stream ${stream}: ${String(expected)} is no revision`);
  }
  if (events.length === 0)
    throw new InvalidAppendError(`stream ${stream}: an append holds at least one event`);
  if (events.length > appendLimits.events) {
    throw new InvalidAppendError(
      `stream ${stream}: ${String(events.length)} events, at most ${String(appendLimits.events)} are allowed in one append`,
    );
  }
  let bytes = 0;
  for (const event of events) bytes += validateEvent(stream, event);
  if (bytes > appendLimits.bytes) {
    throw new InvalidAppendError(
      `stream ${stream}: ${String(bytes)} bytes, at most ${String(appendLimits.bytes)} are allowed in one append`,
    );
  }
  return bytes;
}

function validateStreamName(stream: string): void {
  if (!isText(stream) || stream.includes("\0"))
    throw new InvalidAppendError("a stream's name is well-formed Unicode");
  if (stream.length === 0) throw new InvalidAppendError("a stream has a name");
  if (stream.length > appendLimits.streamName) {
    throw new InvalidAppendError(`a stream's name has at most ${String(appendLimits.streamName)} characters`);
  }
}

/**
 * Takes `unknown`, because a caller's JSON.stringify can return undefined. Refuses lone surrogates, which have no UTF-8
 * form and would come back changed.
 */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

function validateEvent(stream: string, event: EventToAppend): number {
  const broken = brokenRule(event);
  if (broken !== undefined) throw new InvalidAppendError(`stream ${stream}, event ${event.id}: ${broken}`);
  return Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata);
}

function brokenRule({ id, type, data, metadata }: EventToAppend): string | undefined {
  if (!isText(id) || !uuidForm.test(id)) return "the id is not a UUID in lower case";
  if (id === nilUuid) return "the id is the nil UUID";
  if (!isText(type) || type.length === 0 || type.includes("\0")) return "the type is not a well-formed text";
  if (!isText(data)) return "the data is not a well-formed text";
  return isText(metadata) ? undefined : "the metadata is not a well-formed text";
}
