import { accountIdOf, accountCodec } from "@hostledger/core";
import { readableEvent, type RecordedEvent } from "@hostledger/store";

import type { AccountDependencies } from "../dependencies.ts";
import { apiKeys } from "../reads/api-keys.projection.ts";

/**
 * Finds the account of a key by the key's number: in the read model, then in later events, so that a key can be revoked
 * while the read model is behind.
 * @param signal aborts the search, which takes longer the further the read model is behind.
 * @returns undefined if no such key was issued.
 */
export async function findKeyOwner(
  { queries, projector, store }: Pick<AccountDependencies, "queries" | "projector" | "store">,
  keyId: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  // Read before the query, so that no event lies between.
  const from = projector.health().find(({ name }) => name === apiKeys.name)?.position ?? "start";
  const row = await queries.keyById(keyId);
  if (row !== undefined) return row.account_id;
  for await (const { events, caughtUp } of store.subscribe({ from, streamPrefixes: ["account-"], signal })) {
    const found = events.find((recorded) => isOfKey(recorded, keyId));
    if (found !== undefined) return accountIdOf(found.stream);
    if (caughtUp) return undefined;
  }
  signal.throwIfAborted();
  return undefined;
}

/** Returns true if the event issues the key. Unreadable events belong to other keys. */
function isOfKey(recorded: RecordedEvent, keyId: number): boolean {
  if (!recorded.type.startsWith("ApiKeyIssued.")) return false;
  const event = readableEvent(accountCodec, recorded)?.event;
  return event?.type === "ApiKeyIssued" && event.data.keyId === keyId;
}
