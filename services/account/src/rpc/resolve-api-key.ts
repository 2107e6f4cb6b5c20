import { accountAggregate, isInForce, isWithin, rejection, type ApiKey } from "@hostledger/core";
import { rejectionError } from "@hostledger/rpc";

import { readApiKey, type ApiKeyOwner, type ShownApiKey } from "../api-key.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { apiKeys } from "../reads/api-keys.projection.ts";

export interface ResolvedKey extends ApiKeyOwner, Pick<ApiKey, "scopes"> {}

/** A client's key and address. */
export interface ShownCredential {
  readonly apiKey: string;
  /** Empty if unknown; then keys limited to addresses are refused. */
  readonly clientAddress: string;
}

/**
 * Finds the owner of an API key in the account's stream, which shows new keys and revocations at once, even if the read
 * model is behind. The read model is used only for older keys without an account number.
 * @throws ConnectError `unauthenticated`; `address-not-allowed` for a valid key from a forbidden address;
 * `temporarily-unavailable` if the owner cannot be determined.
 */
export async function resolveApiKey(
  dependencies: Pick<
    AccountDependencies,
    "clock" | "commands" | "keyUses" | "queries" | "projector" | "store"
  >,
  { apiKey, clientAddress }: ShownCredential,
): Promise<ResolvedKey> {
  const shown = readApiKey(apiKey);
  if (shown === undefined) throw rejectionError(rejection("unauthenticated"));
  const owner = shown.owner ?? (await ownerOfOldKey(dependencies, shown));
  const { state } = await dependencies.commands.load(accountAggregate, String(owner.accountId));
  const key = state.status === "open" ? state.apiKeys.get(owner.keyId) : undefined;
  const at = dependencies.clock.now();
  // After the store was restored from an older backup, an unknown key may have been lost with the newer events.
  if (key?.keyHash !== shown.hash && dependencies.store.lineage?.isRewound === true) throw cannotTell();
  if (key?.keyHash !== shown.hash || !isInForce(key, at)) throw rejectionError(rejection("unauthenticated"));
  if (key.addresses.length > 0 && !isWithin(clientAddress, key.addresses))
    throw rejectionError(rejection("address-not-allowed"));
  dependencies.keyUses.note(owner.keyId, at);
  return { ...owner, scopes: key.scopes };
}

/** Finds the owner of an older key. A row is always valid; a missing row is not if the read model is behind. */
async function ownerOfOldKey(
  { queries, projector }: Pick<AccountDependencies, "queries" | "projector">,
  { hash }: ShownApiKey,
): Promise<ApiKeyOwner> {
  const row = await queries.keyByHash(hash);
  if (row !== undefined) return { accountId: row.account_id, keyId: row.key_id };
  if (knowsEveryKey(projector)) throw rejectionError(rejection("unauthenticated"));
  throw cannotTell();
}

/** Refuses a key that is missing in an outdated read model. */
function cannotTell(): Error {
  const sentence = "The service cannot check this API key at present, because its list of keys is outdated.";
  return rejectionError(rejection("temporarily-unavailable", sentence, { retryAfterSeconds: 1 }));
}

/** Returns true if the read model of keys follows the events. */
function knowsEveryKey(projector: AccountDependencies["projector"]): boolean {
  // Keys of a stopped account stream may be missing.
  if (projector.stopped().some(({ projection }) => projection === apiKeys.name)) return false;
  return projector.health().some(({ name, state }) => name === apiKeys.name && state === "live");
}
