import { accountAggregate, isInForce, isWithin, rejection, type ApiKey } from "@hostledger/core";
import { rejectionError } from "@hostledger/rpc";

import { readApiKey, type ApiKeyOwner, type ShownApiKey } from "../api-key.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { apiKeys } from "../reads/api-keys.projection.ts";

/** A key that opens its account. */
export interface ResolvedKey extends ApiKeyOwner, Pick<ApiKey, "scopes"> {}

/** What a client shows, and from where. */
export interface ShownCredential {
  readonly apiKey: string;
  /** Empty where that is not known: a key that is limited to addresses is refused then. */
  readonly clientAddress: string;
}

/**
 * Whose an API key is. The account's own stream answers: it knows a new key and a revocation as soon as they are stored, also
 * while the read model stands still. That one only finds the account of a key that was issued before keys named it.
 * @throws ConnectError `unauthenticated`; `address-not-allowed` for a right key from a wrong address;
 * `temporarily-unavailable` when it cannot be told whose the key is.
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
  // A key of the part of the store that is gone is no wrong key, as far as anybody knows.
  if (key?.keyHash !== shown.hash && dependencies.store.lineage?.isRewound === true) throw cannotTell();
  if (key?.keyHash !== shown.hash || !isInForce(key, at)) throw rejectionError(rejection("unauthenticated"));
  if (key.addresses.length > 0 && !isWithin(clientAddress, key.addresses))
    throw rejectionError(rejection("address-not-allowed"));
  dependencies.keyUses.note(owner.keyId, at);
  return { ...owner, scopes: key.scopes };
}

/** Whose a key is never changes, so that a row holds however far behind the read model is; only its absence may not. */
async function ownerOfOldKey(
  { queries, projector }: Pick<AccountDependencies, "queries" | "projector">,
  { hash }: ShownApiKey,
): Promise<ApiKeyOwner> {
  const row = await queries.keyByHash(hash);
  if (row !== undefined) return { accountId: row.account_id, keyId: row.key_id };
  if (knowsEveryKey(projector)) throw rejectionError(rejection("unauthenticated"));
  throw cannotTell();
}

/** The refusal where the list of keys is not up to date, so that a key that is not in it may well be there. */
function cannotTell(): Error {
  const sentence = "It cannot be told at present whose this API key is: the list of keys is not up to date.";
  return rejectionError(rejection("temporarily-unavailable", sentence, { retryAfterSeconds: 1 }));
}

/** True while the list of keys follows the log. */
function knowsEveryKey(projector: AccountDependencies["projector"]): boolean {
  // Keys of an account whose stream stands still may be missing in it.
  if (projector.stopped().some(({ projection }) => projection === apiKeys.name)) return false;
  return projector.health().some(({ name, state }) => name === apiKeys.name && state === "live");
}
