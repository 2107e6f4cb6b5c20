import { invoiceRetentionYears, isForeign } from "@hostledger/core";

import type { EventStore, RecordedEvent } from "../index.ts";
import { readStoredData } from "./event-data.codec.ts";
import { mayHoldSealedText, readSealed } from "./sealed-text.ts";
import {
  type RetainedKey,
  subjectOfAccount,
  subjectOfRetention,
  type SubjectKey,
  type SubjectKeys,
  type TextKeys,
} from "./subject-keys.port.ts";

/** The keys, and the store with sealed texts, which shows whether a subject had a key. */
export interface KeySource {
  readonly store: Pick<EventStore, "read">;
  readonly keys: Pick<SubjectKeys, "find" | "obtain"> & Pick<TextKeys, "onLoss">;
}

/** Returns an account's key, created for a new account or one older than the keys; undefined for a lost key, which is reported. */
export async function keyOfAccount(accountId: number, source: KeySource): Promise<SubjectKey | undefined> {
  const subject = subjectOfAccount(accountId);
  return keyUnlessLost(subject, source, async () => {
    for await (const opening of source.store.read(subject))
      if (!isForeign(opening)) return keyIdIn(opening, subject);
    return undefined;
  });
}

/**
 * Returns the key of texts that the law requires to keep, created for the account's first text of the year;
 * undefined for a lost key, which is reported. A lost key is never replaced, because texts sealed with a second key
 * would not open after the first one is restored.
 */
export async function keyOfRetention(
  { accountId, year }: RetainedKey,
  source: KeySource,
): Promise<SubjectKey | undefined> {
  const subject = subjectOfRetention(accountId, year);
  return keyUnlessLost(subject, source, () => usedKeyOf(subject, { accountId, year }, source.store));
}

/** Id of the key that texts are sealed with; `unnamed` if they do not name it. */
type UsedKey = string | undefined;

async function keyUnlessLost(
  subject: string,
  { keys }: KeySource,
  usedKey: () => Promise<UsedKey>,
): Promise<SubjectKey | undefined> {
  const known = (await keys.find([subject])).get(subject);
  if (known !== undefined) return known;
  const used = await usedKey();
  if (used === undefined) return keys.obtain(subject);
  keys.onLoss?.({ subject, keyId: used === unnamed ? undefined : used, reason: "missing" });
  return undefined;
}

const unnamed = "unnamed";

/** Finds the key in the account's documents of the year, the latest first, and in the events of their files. */
async function usedKeyOf(
  subject: string,
  { accountId, year }: RetainedKey,
  store: Pick<EventStore, "read">,
): Promise<UsedKey> {
  for await (const event of store.read(subjectOfAccount(accountId), { direction: "backwards" })) {
    if (isForeign(event)) continue;
    const used = keyIdIn(event, subject);
    if (used !== undefined) return used;
    // Receipts and older documents have no sealed text but that of their files.
    if (Number(event.time.slice(0, 4)) + invoiceRetentionYears !== year) continue;
    const { invoiceId, correctionId } = readStoredData(event.data);
    for (const documentId of [invoiceId, correctionId].filter((id) => typeof id === "number"))
      for await (const archived of store.read(`document-${String(documentId)}`, { limit: 1 })) {
        const ofFiles = keyIdIn(archived, subject);
        if (ofFiles !== undefined) return ofFiles;
      }
  }
  return undefined;
}

/** Returns the id of the subject's key in an event's texts; undefined if the event has no text of the subject. */
function keyIdIn({ data }: RecordedEvent, subject: string): UsedKey {
  if (!mayHoldSealedText(data)) return undefined;
  for (const text of Object.values(readStoredData(data))) {
    const sealed = typeof text === "string" ? readSealed(text) : undefined;
    if (sealed?.subject === subject) return sealed.keyId ?? unnamed;
  }
  return undefined;
}
