import {
  erasedText,
  hiddenText,
  hostingEvents,
  notAvailableText,
  personalFieldsOf,
  secretFieldsOf,
  type PersonalFields,
} from "@hostledger/core";
import type { EventBatch, EventStore, EventToAppend, RecordedEvent } from "../index.ts";
import { defined } from "@hostledger/runtime";

import { readEventData, readStoredData } from "./event-data.codec.ts";
import { mayHoldSealedText, openSealed, readSealed, sealedBytes, sealText } from "./sealed-text.ts";
import { keyOfAccount, keyOfRetention, type KeySource } from "./keys-to-seal-with.ts";
import {
  subjectOfAccount,
  subjectOfRetention,
  SubjectKeyMissingError,
  type SubjectKey,
  type SubjectKeys,
  type TextKeys,
} from "./subject-keys.port.ts";

const personalFields = personalFieldsOf(hostingEvents);
const secretFields = secretFieldsOf(hostingEvents);

type Stored = Pick<RecordedEvent, "type" | "data">;

type Keys = SubjectKeys & Pick<TextKeys, "onLoss">;

/** Whether secrets are opened too: only for code that uses them, never for code that shows events to people. */
export type Opens = "personal-data" | "secrets-too";

/** Whether texts that the law keeps of erased persons are opened too: only for tax exports. */
export type OpensForReaders = "personal-data" | "retained-too";

/**
 * Seals personal data in appended events and opens it in read events, so that the store contains only ciphertext. Texts
 * become `[erased]` if the person's key was destroyed, and `[not available]` if it is missing. Secrets become `[secret]`
 * unless the caller opens them. Events without sealed texts are returned unchanged.
 *
 * A key is created when its account is opened.
 * @throws SubjectKeyMissingError from appends, if an opened account's key is missing.
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

/** Opens a stored event's personal data and hides its secrets, for code that needs both forms. */
export function openPersonalData<Event extends Stored>(
  event: Event,
  keys: TextKeys,
  opens: OpensForReaders = "personal-data",
): Promise<Event> {
  return open(event, keys, opens);
}

async function open<Event extends Stored>(
  event: Event,
  keys: TextKeys,
  opens: Opens | OpensForReaders,
): Promise<Event> {
  if (!isChangedByOpening(event, opens)) return event;
  return openEvent(event, { found: await keys.find(subjectsOf([event])), onLoss: keys.onLoss, opens });
}

/** Returns the size after sealing, because batches are planned before sealing and base64 adds a third. */
function bytesWhenSealed({ type, data, metadata }: EventToAppend): number {
  const given = Buffer.byteLength(data) + Buffer.byteLength(metadata);
  const fields = personalFields.get(type);
  if (fields === undefined) return given;
  const members = readEventData(data);
  const subject = subjectIn(fields, members);
  if (subject === undefined) return given;
  const growth = fields.texts.map((field) => {
    const text = members[field];
    if (typeof text !== "string") return 0;
    const plain = Buffer.byteLength(JSON.stringify(text)) - 2;
    const sealed = sealedBytes(Buffer.byteLength(text), subject);
    return sealed - plain;
  });
  return growth.reduce((sum, bytes) => sum + bytes, given);
}

async function sealAll(events: readonly EventToAppend[], source: KeySource): Promise<EventToAppend[]> {
  const sealed: EventToAppend[] = [];
  for (const event of events) sealed.push(await sealEvent(event, source));
  return sealed;
}

async function sealEvent(event: EventToAppend, source: KeySource): Promise<EventToAppend> {
  const fields = personalFields.get(event.type);
  if (fields === undefined) return event;
  const data = readEventData(event.data);
  const subject = subjectIn(fields, data);
  if (subject === undefined) return event;
  const key = await keyToSealWith(event, { fields, data, source });
  if (key === undefined && !writtenWithoutTexts.has(eventName(event)))
    throw new SubjectKeyMissingError(subject);
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
  // An erased person has no key, so new texts are not stored.
  if (key === "destroyed") return erasedText;
  return key === undefined ? notAvailableText : sealText(text, key, place);
}

/**
 * Events that are stored without their texts if the key is missing: otherwise a request would run twice, or a customer could not buy.
 * A document names the buyer of the account's profile then.
 */
const writtenWithoutTexts: ReadonlySet<string> = new Set([
  "RequestBegun",
  "RequestAnswered",
  "InvoiceIssued",
  "CorrectionIssued",
  "ReceiptCancelled",
]);

function eventName({ type }: Pick<Stored, "type">): string {
  return type.slice(0, type.indexOf("."));
}

/** Returns the key of an event's texts; undefined for a lost key, also for the buyer of a document whose name does not open. */
async function keyToSealWith(
  event: EventToAppend,
  {
    fields,
    data,
    source,
  }: { fields: PersonalFields; data: Readonly<Record<string, unknown>>; source: KeySource },
): Promise<SubjectKey | undefined> {
  const accountId = Number(data[fields.account]);
  if (fields.keptUntil === undefined) return keyOfAccount(accountId, source);
  const isBuyer = writtenWithoutTexts.has(eventName(event));
  if (isBuyer && (await keyOfAccount(accountId, source)) === undefined) return undefined;
  return keyOfRetention({ accountId, year: Number(data[fields.keptUntil]) }, source);
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

/** Returns true also for plain secrets of earlier versions, which must be hidden. */
function isChangedByOpening(event: Stored, opens: Opens | OpensForReaders): boolean {
  return isSealedEvent(event) || (opens !== "secrets-too" && secretFields.has(event.type));
}

/** Checks the type first, so that most events cost one lookup. */
function isSealedEvent({ type, data }: Stored): boolean {
  return personalFields.has(type) && mayHoldSealedText(data);
}

function subjectsOf(events: readonly Stored[]): string[] {
  const subjects = new Set<string>();
  for (const { type, data } of events) {
    for (const subject of subjectsIn(personalFields.get(type), readStoredData(data))) subjects.add(subject);
  }
  return [...subjects];
}

/** Returns the subject whose key seals an event's texts; undefined if the event names no account. */
function subjectIn(
  fields: PersonalFields | undefined,
  data: Readonly<Record<string, unknown>>,
): string | undefined {
  if (fields === undefined) return undefined;
  const account = data[fields.account];
  if (typeof account !== "number") return undefined;
  if (fields.keptUntil === undefined) return subjectOfAccount(account);
  const year = data[fields.keptUntil];
  return typeof year === "number" ? subjectOfRetention(account, year) : undefined;
}

/** Returns the subjects whose keys decide whether an event's texts open: its own, and the person's. */
function subjectsIn(
  fields: PersonalFields | undefined,
  data: Readonly<Record<string, unknown>>,
): readonly string[] {
  const account = data[fields?.account ?? ""];
  const own = subjectIn(fields, data);
  if (own === undefined || typeof account !== "number") return [];
  return [...new Set([own, subjectOfAccount(account)])];
}

interface Opening {
  readonly found: ReadonlyMap<string, SubjectKey>;
  readonly onLoss: TextKeys["onLoss"];
  readonly opens: Opens | OpensForReaders;
}

function openEvent<Event extends Stored>(event: Event, { found, onLoss, opens }: Opening): Event {
  const fields = personalFields.get(event.type);
  const secrets = opens === "secrets-too" ? [] : (secretFields.get(event.type) ?? []);
  const data = readStoredData(event.data);
  const subject = subjectIn(fields, data);
  // Retained texts of an erased person stay sealed for every reader of events, except for tax exports.
  const deciding = opens === "retained-too" && subject !== undefined ? [subject] : subjectsIn(fields, data);
  const isErased = deciding.some((each) => found.get(each) === "destroyed");
  const opened: Record<string, string> = {};
  for (const field of new Set([...(fields?.texts ?? []), ...secrets])) {
    const text = data[field];
    if (typeof text !== "string") continue;
    const sealed = readSealed(text);
    const key = subject === undefined ? undefined : isErased ? "destroyed" : found.get(subject);
    // Plain texts from before there were keys may look like sealed texts.
    const isOwn = sealed !== undefined && sealed.subject === subject;
    if (secrets.includes(field)) opened[field] = hidden(text, isOwn && key === "destroyed");
    else if (isOwn) opened[field] = openSealed(sealed, key, field, onLoss);
  }
  return Object.keys(opened).length === 0
    ? event
    : { ...event, data: JSON.stringify({ ...data, ...opened }) };
}

/** Returns the placeholder of a secret, which reveals only an erasure or a loss. */
function hidden(text: string, isErased: boolean): string {
  if (isErased) return erasedText;
  return text === erasedText || text === notAvailableText ? text : hiddenText;
}
