import { accountCodec } from "@hostledger/core";
import { readableEvent, type RecordedEvent } from "@hostledger/event-store";

import type { AccountDependencies } from "../dependencies.ts";
import { accountIdOf } from "../reads/account.subscription.ts";
import { apiKeys } from "../reads/api-keys.projection.ts";

/**
 * Finds the account of a key that is known by its number alone: in the list of keys, and beyond where that stands in the log
 * itself, so that a key which was issued while the list stands still can be revoked.
 * @param signal ends the search; it takes as long as the list is behind.
 * @returns undefined where no such key was ever issued.
 */
export async function findKeyOwner(
  { queries, projector, store }: Pick<AccountDependencies, "queries" | "projector" | "store">,
  keyId: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  // Asked before the list, so that nothing lies between the two.
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

/** A fact that this version cannot read is another key's: who issued this one could. */
function isOfKey(recorded: RecordedEvent, keyId: number): boolean {
  if (!recorded.type.startsWith("ApiKeyIssued.")) return false;
  const event = readableEvent(accountCodec, recorded)?.event;
  return event?.type === "ApiKeyIssued" && event.data.keyId === keyId;
}
