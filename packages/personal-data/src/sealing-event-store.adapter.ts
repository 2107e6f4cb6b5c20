import { hostingEvents, personalFieldsOf } from "@hostledger/core";
import type { EventBatch, EventStore, EventToAppend, RecordedEvent } from "@hostledger/event-store";
import { defined } from "@hostledger/runtime";

import { readEventData } from "./event-data.codec.ts";
import { erasedText, openText, sealedBytes, sealText, subjectOfSealed } from "./sealed-text.ts";
import {
  missingKeyAdvice,
  SubjectKeyError,
  subjectOfAccount,
  type SubjectKey,
  type SubjectKeys,
} from "./subject-keys.port.ts";

const personalFields = personalFieldsOf(hostingEvents);

/** What opening a sealed event needs of it. */
type Stored = Pick<RecordedEvent, "stream" | "revision" | "id" | "type" | "data">;

/**
 * The event store as the services see it: personal data is sealed on its way in and opened on its way out, and reads
 * `[erased]` once the person's key is destroyed. The store beneath holds ciphertext only. Events without personal data
 * pass as they are, in the same array.
 *
 * @throws SubjectKeyError from reads: a key is missing that was never destroyed, or a text does not open.
 */
export function sealPersonalData(store: EventStore, keys: SubjectKeys): EventStore {
  return {
    ...defined({ shared: store.shared }),
    bytesOf: (event) => store.bytesOf?.(event) ?? bytesWhenSealed(event),
    append(stream, expected, events) {
      if (!events.some(({ type }) => personalFields.has(type))) return store.append(stream, expected, events);
      return sealAll(events, keys).then((sealed) => store.append(stream, expected, sealed));
    },
    async *read(stream, options) {
      for await (const event of store.read(stream, options)) yield await openPersonalData(event, keys);
    },
    async *subscribe(options) {
      for await (const batch of store.subscribe(options)) yield await openBatch(batch, keys);
    },
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

/**
 * A stored event with its personal data readable, for whoever needs both forms of it.
 * @throws SubjectKeyError as reads do
 */
export async function openPersonalData(
  event: RecordedEvent,
  keys: Pick<SubjectKeys, "find">,
): Promise<RecordedEvent> {
  return isSealedEvent(event) ? openEvent(event, await keys.find(subjectsOf([event]))) : event;
}

/** An append is planned before it is sealed, and base64 makes texts a third longer. */
function bytesWhenSealed({ type, data, metadata }: EventToAppend): number {
  const given = Buffer.byteLength(data) + Buffer.byteLength(metadata);
  const fields = personalFields.get(type);
  if (fields === undefined) return given;
  const members = readEventData(data);
  const account = members[fields.account];
  if (typeof account !== "number") return given;
  const growth = fields.texts.map((field) => {
    const text = members[field];
    if (typeof text !== "string") return 0;
    const plain = Buffer.byteLength(JSON.stringify(text)) - 2;
    const sealed = sealedBytes(Buffer.byteLength(text), subjectOfAccount(account));
    return sealed - plain;
  });
  return growth.reduce((sum, bytes) => sum + bytes, given);
}

async function sealAll(events: readonly EventToAppend[], keys: SubjectKeys): Promise<EventToAppend[]> {
  const sealed: EventToAppend[] = [];
  for (const event of events) sealed.push(await sealEvent(event, keys));
  return sealed;
}

async function sealEvent(event: EventToAppend, keys: SubjectKeys): Promise<EventToAppend> {
  const fields = personalFields.get(event.type);
  if (fields === undefined) return event;
  const data = readEventData(event.data);
  const account = data[fields.account];
  if (typeof account !== "number") return event;
  const subject = subjectOfAccount(account);
  const key = await keys.obtain(subject);
  for (const field of fields.texts) {
    const text = data[field];
    if (typeof text !== "string") continue;
    // Nothing about an erased person is recorded again: there is no key that could be destroyed once more.
    data[field] =
      key === "destroyed" ? erasedText : sealText(text, key, { subject, record: event.id, field });
  }
  return { ...event, data: JSON.stringify(data) };
}

async function openBatch(batch: EventBatch, keys: SubjectKeys): Promise<EventBatch> {
  const sealed = batch.events.filter(isSealedEvent);
  if (sealed.length === 0) return batch;
  const found = await keys.find(subjectsOf(sealed));
  return {
    ...batch,
    events: batch.events.map((event) => (isSealedEvent(event) ? openEvent(event, found) : event)),
  };
}

/** A text that merely looks sealed is found out when it is opened; the others cost one look-up by type. */
function isSealedEvent({ type, data }: Pick<Stored, "type" | "data">): boolean {
  return personalFields.has(type) && data.includes('"sealed:v1:');
}

function subjectsOf(events: readonly Stored[]): string[] {
  const subjects = new Set<string>();
  for (const { type, data } of events) {
    const account = readEventData(data)[personalFields.get(type)?.account ?? ""];
    if (typeof account === "number") subjects.add(subjectOfAccount(account));
  }
  return [...subjects];
}

function openEvent<Event extends Stored>(event: Event, found: ReadonlyMap<string, SubjectKey>): Event {
  const fields = personalFields.get(event.type);
  const data = readEventData(event.data);
  const account = data[fields?.account ?? ""];
  if (fields === undefined || typeof account !== "number") return event;
  const subject = subjectOfAccount(account);
  for (const field of fields.texts) {
    const text = data[field];
    // A customer's own words from before there were keys may look like anything.
    if (typeof text !== "string" || subjectOfSealed(text) !== subject) continue;
    const key = found.get(subject);
    if (key === undefined) throw missing(subject, event);
    data[field] = key === "destroyed" ? erasedText : openText(text, key, { subject, field });
  }
  return { ...event, data: JSON.stringify(data) };
}

function missing(subject: string, { stream, revision }: Stored): SubjectKeyError {
  return new SubjectKeyError(
    `${stream} ${String(revision)} is sealed with the key of ${subject}, which is not among the subject keys and was not destroyed: ${missingKeyAdvice}`,
  );
}
