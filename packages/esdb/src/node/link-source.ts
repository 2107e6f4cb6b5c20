import { type RecordedEvent, uuidV5 } from "@hostledger/store";

import {
  binaryType,
  deletedRevision,
  linkType,
  tombstoneType,
  toStoredText,
} from "../codec/wire-values.codec.ts";
import { isSoftDeletion } from "./stream-facts.ts";

const categoryPrefix = "$ce-";
const typePrefix = "$et-";

/** The namespace of the ids of links (RFC 9562 §6.6), drawn once at random: a link keeps its id however often it is read. */
const linkNamespace = "0c0a3a4e-7d0f-4a52-9b1e-6f4f6f0b8c15";

/** What a stream of links is about. */
export interface LinkSource {
  /** Streams that may hold such an event; undefined: every stream. */
  readonly streamPrefixes: readonly string[] | undefined;
  readonly holds: (event: RecordedEvent) => boolean;
}

/**
 * What EventStoreDB's system projections would link in this stream: the events of a category (`$ce-order`: of `order-1`,
 * `order-2`; by the first dash) or those of a type (`$et-OrderPlaced`). Undefined: it is no such stream.
 */
export function linkSourceOf(stream: string): LinkSource | undefined {
  if (stream.startsWith(categoryPrefix)) return ofCategory(stream.slice(categoryPrefix.length));
  if (stream.startsWith(typePrefix)) return ofType(stream.slice(typePrefix.length));
  return undefined;
}

/** Whether nobody may write the stream: it holds links, or is the metadata of one that does. */
export function isReadOnly(stream: string): boolean {
  return linkSourceOf(stream.startsWith("$$") ? stream.slice(2) : stream) !== undefined;
}

function ofCategory(category: string): LinkSource {
  return {
    streamPrefixes: [`${category}-`, `$$${category}-`],
    holds: (event) => categoryOf(deletedStream(event) ?? event.stream) === category,
  };
}

/** Types of EventStoreDB's own have no such stream here. */
function ofType(type: string): LinkSource {
  const isLinked = !type.startsWith("$");
  return { streamPrefixes: isLinked ? undefined : [], holds: (event) => isLinked && event.type === type };
}

/** What is before the first dash; undefined where there is none, and for system streams. */
export function categoryOf(stream: string): string | undefined {
  const dash = stream.indexOf("-");
  return dash > 0 && !stream.startsWith("$") ? stream.slice(0, dash) : undefined;
}

/** The stream that the event deletes, by its metadata or by its tombstone. */
function deletedStream(event: RecordedEvent): string | undefined {
  if (event.type === tombstoneType) return event.stream;
  return event.stream.startsWith("$$") && isSoftDeletion(event) ? event.stream.slice(2) : undefined;
}

/**
 * The link as EventStoreDB writes it. It has the place and the time of what it points at, since the log holds no event of
 * its own for it.
 */
export function linkTo(stream: string, revision: bigint, event: RecordedEvent): RecordedEvent {
  const { id, position, time } = event;
  const deleted = deletedStream(event);
  const said = { $o: deleted ?? event.stream, $causedBy: id };
  return {
    id: uuidV5(linkNamespace, `${stream}\n${id}`),
    stream,
    revision,
    position,
    time,
    type: linkType,
    data: event.type === linkType ? event.data : toStoredText(Buffer.from(targetOf(event)), binaryType),
    metadata: JSON.stringify(deleted === undefined ? said : { ...said, $deleted: -1 }),
  };
}

function targetOf({ revision, stream, type }: RecordedEvent): string {
  return `${String(type === tombstoneType ? deletedRevision : revision)}@${stream}`;
}
