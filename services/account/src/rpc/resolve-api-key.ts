import { accountAggregate, rejection } from "@hostledger/core";
import { rejectionError } from "@hostledger/rpc";

import { readApiKey, type ApiKeyOwner, type ShownApiKey } from "../api-key.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { apiKeys } from "../reads/api-keys.projection.ts";

/**
 * Whose an API key is. The account's own stream answers: it knows a new key and a revocation as soon as they are stored, also
 * while the read model stands still. That one only finds the account of a key that was issued before keys named it.
 * @throws ConnectError `unauthenticated`; `temporarily-unavailable` when it cannot be told whose the key is.
 */
export async function resolveApiKey(
  dependencies: Pick<AccountDependencies, "commands" | "queries" | "projector">,
  text: string,
): Promise<ApiKeyOwner> {
  const shown = readApiKey(text);
  if (shown === undefined) throw rejectionError(rejection("unauthenticated"));
  const owner = shown.owner ?? (await ownerOfOldKey(dependencies, shown));
  const { state } = await dependencies.commands.load(accountAggregate, String(owner.accountId));
  const key = state.status === "open" ? state.apiKeys.get(owner.keyId) : undefined;
  if (key === undefined || key.revoked || key.keyHash !== shown.hash)
    throw rejectionError(rejection("unauthenticated"));
  return owner;
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
export function cannotTell(): Error {
  const sentence = "It cannot be told at present whose this API key is: the list of keys is not up to date.";
  return rejectionError(rejection("temporarily-unavailable", sentence, { retryAfterSeconds: 1 }));
}

/** True while the list of keys follows the log. */
export function knowsEveryKey(projector: AccountDependencies["projector"]): boolean {
  return projector.health().some(({ name, state }) => name === apiKeys.name && state === "live");
}
