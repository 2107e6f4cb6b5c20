import {
  erasedText,
  hiddenText,
  hostingEvents,
  isForeign,
  notAvailableText,
  personalFieldsOf,
  secretFieldsOf,
} from "@hostledger/core";
import type { EventBatch, EventStore, EventToAppend, RecordedEvent } from "@hostledger/event-store";
import { defined } from "@hostledger/runtime";

import { readEventData, readStoredData } from "./event-data.codec.ts";
import { mayHoldSealedText, openSealed, readSealed, sealedBytes, sealText } from "./sealed-text.ts";
import {
  subjectOfAccount,
  SubjectKeyMissingError,
  type SubjectKey,
  type SubjectKeys,
  type TextKeys,
} from "./subject-keys.port.ts";

const personalFields = personalFieldsOf(hostingEvents);
const secretFields = secretFieldsOf(hostingEvents);

/** What opening a sealed event needs of it. */
type Stored = Pick<RecordedEvent, "type" | "data">;

/** What seals and opens. */
type Keys = SubjectKeys & Pick<TextKeys, "onLoss">;

/** Whether secrets are opened too: by code that acts with them, never by code that reads events for a person. */
export type Opens = "personal-data" | "secrets-too";

/**
 * The event store as the services see it: personal data is sealed on its way in and opened on its way out, and reads
 * `[erased]` once the person's key is destroyed, and `[not available]` where it is missing. The store beneath holds ciphertext
 * only. Events without sealed texts pass as they are, in the same array. Secrets read `[secret]`, except where the caller
 * opens them too.
 *
 * Keys are made with the account alone: its opening is the first fact that is sealed for it.
 * @throws SubjectKeyMissingError from appends: an account was opened with a key that is missing now.
 */
export function sealPersonalData(store: EventStore, keys: Keys, opens: Opens = "personal-data"): EventStore {
  return {
    ...defined({ lineage: store.lineage, shared: store.shared }),
    bytesOf: (event) => store.bytesOf?.(event) ?? bytesWhenSealed(event),
    append(stream, expected, events) {
      if (!events.some(({ type }) => personalFields.has(type))) return store.append(stream, expected, events);
      return sealAll(events, { store, keys }).then((sealed) => store.append(stream, expected, sealed));
    },
    async *read(stream, options) {
      for await (const event of store.read(stream, options)) yield await open(event, keys, opens);
    },
    async *subscribe(options) {
      for await (const batch of store.subscribe(options)) yield await openBatch(batch, keys, opens);
    },
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

/**
 * A stored event with its personal data readable, as far as there are keys, and its secrets hidden; for code that needs both
 * forms of it.
 */
export function openPersonalData<Event extends Stored>(event: Event, keys: TextKeys): Promise<Event> {
  return open(event, keys, "personal-data");
}

async function open<Event extends Stored>(event: Event, keys: TextKeys, opens: Opens): Promise<Event> {
  if (!isChangedByOpening(event, opens)) return event;
  return openEvent(event, { found: await keys.find(subjectsOf([event])), onLoss: keys.onLoss, opens });
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

/** What sealing needs: the keys, and the store whose facts say who has one. */
interface Sealing {
  readonly store: Pick<EventStore, "read">;
  readonly keys: Keys;
}

async function sealAll(events: readonly EventToAppend[], sealing: Sealing): Promise<EventToAppend[]> {
  const sealed: EventToAppend[] = [];
  for (const event of events) sealed.push(await sealEvent(event, sealing));
  return sealed;
}

async function sealEvent(event: EventToAppend, sealing: Sealing): Promise<EventToAppend> {
  const fields = personalFields.get(event.type);
  if (fields === undefined) return event;
  const data = readEventData(event.data);
  const account = data[fields.account];
  if (typeof account !== "number") return event;
  const subject = subjectOfAccount(account);
  const key = await keyToSealWith(subject, sealing);
  if (key === undefined && !isOfRequest(event)) throw new SubjectKeyMissingError(subject);
  for (const field of fields.texts) {
    const text = data[field];
    if (typeof text === "string") data[field] = sealedOrNot(text, key, { subject, record: event.id, field });
  }
  return { ...event, data: JSON.stringify(data) };
}

function sealedOrNot(
  text: string,
  key: SubjectKey | undefined,
  place: Parameters<typeof sealText>[2],
): string {
  // Nothing about an erased person is recorded again: there is no key that could be destroyed once more.
  if (key === "destroyed") return erasedText;
  return key === undefined ? notAvailableText : sealText(text, key, place);
}

/** How a request stands is recorded without its words rather than not at all: it is not carried out twice. */
function isOfRequest({ type }: EventToAppend): boolean {
  return type.startsWith("RequestBegun.") || type.startsWith("RequestAnswered.");
}

/**
 * The person's key, which is made where there never was one: when the account is opened, and for those that were opened before
 * there were keys. Whose opening is stored sealed has had one: undefined where that is missing.
 */
async function keyToSealWith(subject: string, { store, keys }: Sealing): Promise<SubjectKey | undefined> {
  const known = (await keys.find([subject])).get(subject);
  if (known !== undefined) return known;
  for await (const opening of store.read(subject)) {
    if (isForeign(opening)) continue;
    if (!isSealedEvent(opening)) break;
    // Opening it here reports the loss.
    openEvent(opening, { found: new Map(), onLoss: keys.onLoss, opens: "personal-data" });
    return undefined;
  }
  return keys.obtain(subject);
}

async function openBatch(batch: EventBatch, keys: TextKeys, opens: Opens): Promise<EventBatch> {
  const changed = batch.events.filter((event) => isChangedByOpening(event, opens));
  if (changed.length === 0) return batch;
  const opening = { found: await keys.find(subjectsOf(changed)), onLoss: keys.onLoss, opens };
  return {
    ...batch,
    events: batch.events.map((event) =>
      isChangedByOpening(event, opens) ? openEvent(event, opening) : event,
    ),
  };
}

/** A secret is hidden also where an earlier version stored it plain. */
function isChangedByOpening(event: Stored, opens: Opens): boolean {
  return isSealedEvent(event) || (opens === "personal-data" && secretFields.has(event.type));
}

/** A text that merely looks sealed is found out when it is opened; the others cost one look-up by type. */
function isSealedEvent({ type, data }: Stored): boolean {
  return personalFields.has(type) && mayHoldSealedText(data);
}

function subjectsOf(events: readonly Stored[]): string[] {
  const subjects = new Set<string>();
  for (const { type, data } of events) {
    const account = readStoredData(data)[personalFields.get(type)?.account ?? ""];
    if (typeof account === "number") subjects.add(subjectOfAccount(account));
  }
  return [...subjects];
}

/** What opens the texts of events. */
interface Opening {
  readonly found: ReadonlyMap<string, SubjectKey>;
  readonly onLoss: TextKeys["onLoss"];
  readonly opens: Opens;
}

function openEvent<Event extends Stored>(event: Event, { found, onLoss, opens }: Opening): Event {
  const fields = personalFields.get(event.type);
  const secrets = opens === "secrets-too" ? [] : (secretFields.get(event.type) ?? []);
  const data = readStoredData(event.data);
  const account = data[fields?.account ?? ""];
  const subject = typeof account === "number" ? subjectOfAccount(account) : undefined;
  const opened: Record<string, string> = {};
  for (const field of new Set([...(fields?.texts ?? []), ...secrets])) {
    const text = data[field];
    if (typeof text !== "string") continue;
    const sealed = readSealed(text);
    const key = subject === undefined ? undefined : found.get(subject);
    // A customer's own words from before there were keys may look like anything.
    const isOwn = sealed !== undefined && sealed.subject === subject;
    if (secrets.includes(field)) opened[field] = hidden(text, isOwn && key === "destroyed");
    else if (isOwn) opened[field] = openSealed(sealed, key, field, onLoss);
  }
  return Object.keys(opened).length === 0
    ? event
    : { ...event, data: JSON.stringify({ ...data, ...opened }) };
}

/** What readers see in place of a secret: nothing of it, except that it is gone. */
function hidden(text: string, isErased: boolean): string {
  if (isErased) return erasedText;
  return text === erasedText || text === notAvailableText ? text : hiddenText;
}
