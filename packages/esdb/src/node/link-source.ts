import { type RecordedEvent, uuidV5 } from "@hostledger/store";

import {
  binaryType,
  deletedRevision,
  linkType,
  tombstoneType,
  toStoredText,
} from "../codec/wire-values.codec.ts";
import { isSoftDeletion } from "./stream-events.ts";

const categoryPrefix = "$ce-";
const typePrefix = "$et-";

/**
 * Namespace for the ids of links (RFC 9562 §6.6), chosen once at random, so that a link has the same id in every
 * read.
 */
const linkNamespace = "0c0a3a4e-7d0f-4a52-9b1e-6f4f6f0b8c15";

/** The events that a stream of links is about. */
export interface LinkSource {
  /** Streams that may have such an event; undefined means every stream. */
  readonly streamPrefixes: readonly string[] | undefined;
  readonly holds: (event: RecordedEvent) => boolean;
}

/**
 * Returns the events that EventStoreDB's system projections would link in the stream: those of a category
 * (`$ce-order`: of `order-1` and `order-2`, by the first dash) or of a type (`$et-OrderPlaced`). Undefined for other
 * streams.
 */
export function linkSourceOf(stream: string): LinkSource | undefined {
  if (stream.startsWith(categoryPrefix)) return ofCategory(stream.slice(categoryPrefix.length));
  if (stream.startsWith(typePrefix)) return ofType(stream.slice(typePrefix.length));
  return undefined;
}

/** True if clients may not write the stream, because it has links or is the metadata of a stream of links. */
export function isReadOnly(stream: string): boolean {
  return linkSourceOf(stream.startsWith("$$") ? stream.slice(2) : stream) !== undefined;
}

function ofCategory(category: string): LinkSource {
  return {
    streamPrefixes: [`${category}-`, `$$${category}-`],
    holds: (event) => categoryOf(deletedStream(event) ?? event.stream) === category,
  };
}

/** EventStoreDB's own types have no such stream here. */
function ofType(type: string): LinkSource {
  const isLinked = !type.startsWith("$");
  return { streamPrefixes: isLinked ? undefined : [], holds: (event) => isLinked && event.type === type };
}

/** Returns the text before the first dash; undefined without a dash, and for system streams. */
export function categoryOf(stream: string): string | undefined {
  const dash = stream.indexOf("-");
  return dash > 0 && !stream.startsWith("$") ? stream.slice(0, dash) : undefined;
}

/** Returns the stream that the event deletes, by metadata or by a tombstone. */
function deletedStream(event: RecordedEvent): string | undefined {
  if (event.type === tombstoneType) return event.stream;
  return event.stream.startsWith("$$") && isSoftDeletion(event) ? event.stream.slice(2) : undefined;
}

/**
 * Builds the link as EventStoreDB writes it. The link has the position and the time of its target, because the log
 * has no event for the link.
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
