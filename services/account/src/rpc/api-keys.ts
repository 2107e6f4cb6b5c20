import {
  maximumKeyLabel,
  parseAddresses,
  parseId,
  parseInstant,
  parseName,
  parsed,
  parseScopes,
  rejection,
  type ApiKey,
  type IssueApiKey,
  type OpenAccountState,
  type Parsed,
} from "@hostledger/core";
import { unusedId } from "@hostledger/store";
import {
  noSuch,
  rejectionError,
  requestContextOf,
  requestedSelection,
  selectItems,
  requireAccount,
  requestedId,
  useQuota,
  validated,
  type AccountCaller,
  type WithContextValues,
} from "@hostledger/rpc";
import type { account } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import type { ServiceImpl } from "@connectrpc/connect";

import {
  commandAccount,
  commandContext,
  findAccount,
  refuseBefore,
  type AccountOutcome,
} from "../account-commands.ts";
import { apiKeyRandomBytes, createApiKey } from "../api-key.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { apiKeys } from "../reads/api-keys.projection.ts";
import { ownKeyMessage } from "./account.message.ts";

type Handlers = ServiceImpl<typeof account.AccountService>;

/** Write quota per created key: creation plus revocation, so that no quota prevents a revocation. */
const writesOfKey = 2;

interface KeyRequest {
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: string | undefined;
  readonly addresses: readonly string[];
}

interface IssuedKey extends AccountOutcome {
  readonly keyId: number;
  readonly secret: string;
}

/** Issues an API key. @param issuedBy customer's key; null for staff @throws ConnectError for a rejection */
export async function issueKey(
  dependencies: AccountDependencies,
  {
    accountId,
    issuedBy,
    requested,
  }: { accountId: number; issuedBy: IssueApiKey["data"]["issuedBy"]; requested: KeyRequest },
  context: WithContextValues,
): Promise<IssuedKey> {
  const { expires_at: expiresAt, ...limits } = validated({
    label: parseLabel(requested.label),
    scopes: parseScopes(requested.scopes),
    expires_at: requested.expiresAt === undefined ? parsed(null) : parseInstant(requested.expiresAt),
    addresses: parseAddresses(requested.addresses),
  });
  // Checked before an id is taken, because the account may not exist.
  await findAccount(dependencies, accountId);
  const { operationId } = requestContextOf(context);
  const at = dependencies.clock.now();
  const wanted = { ...limits, expiresAt, operationId, issuedBy, at };
  const unnumbered = { keyId: unusedId, keyHash: "", prefix: "", ...wanted };
  await refuseBefore(dependencies, accountId, { type: "IssueApiKey", data: unnumbered });
  await useQuota(dependencies.dailyQuotas, "free_writes_a_day", writesOfKey, context);
  const keyId = await dependencies.keyIds.next();
  const { secret, hash, prefix } = createApiKey(
    { accountId, keyId },
    dependencies.ids.secret(apiKeyRandomBytes),
  );
  const data = { keyId, keyHash: hash, prefix, ...wanted };
  const outcome = await commandAccount(
    dependencies,
    accountId,
    { type: "IssueApiKey", data },
    commandContext(context, `issue-key/${String(keyId)}`),
  );
  return { ...outcome, keyId, secret };
}

/** Revokes a key; a revoked key stays unchanged. @throws ConnectError `api-key-not-found` */
export function revokeKey(
  dependencies: AccountDependencies,
  {
    accountId,
    keyId,
    revokedBy,
  }: { readonly accountId: number; readonly keyId: number; readonly revokedBy?: number },
  context: WithContextValues,
): Promise<AccountOutcome> {
  const at = dependencies.clock.now();
  const command = { type: "RevokeApiKey", data: { keyId, ...defined({ revokedBy }), at } } as const;
  return commandAccount(
    dependencies,
    accountId,
    command,
    commandContext(context, `revoke-key/${String(keyId)}`),
  );
}

/** Returns an account's keys, oldest first, revoked keys included. Read from the account's stream, which is never behind. */
export function keysOf({ apiKeys }: OpenAccountState): readonly (readonly [keyId: number, key: ApiKey])[] {
  return [...apiKeys].sort(([a], [b]) => a - b);
}

/** Creates the customers' handlers of their own keys (contract, second part). */
export function ownKeyHandlers(
  dependencies: AccountDependencies,
): Pick<Handlers, "createApiKey" | "listApiKeys" | "deleteApiKey"> {
  const { keyUses, projector, queries } = dependencies;
  return {
    async createApiKey(requested, context) {
      const { accountId, keyId: issuedBy } = requireKey(context);
      const issued = await issueKey(dependencies, { accountId, issuedBy, requested }, context);
      await projector.after(issued.position, { names: [apiKeys.name] });
      const { keyId, secret, account } = issued;
      const key = account.apiKeys.get(keyId);
      if (key === undefined) throw new Error(`the API key ${String(keyId)} was accepted but is not there`);
      return { key: ownKeyMessage({ keyId, key }), apiKey: secret };
    },

    async listApiKeys(request, context) {
      const { accountId } = requireAccount(context);
      const selection = requestedSelection(request.page);
      const { account } = await findAccount(dependencies, accountId);
      const present = keysOf(account).filter(([, { revokedAt }]) => revokedAt === null);
      const page = selectItems(present, selection, ([id, { label, issuedAt }]) => ({
        id,
        createdAt: issuedAt,
        name: label,
      }));
      const days = await keyUses.of(page.map(([keyId]) => keyId));
      return { keys: page.map(([keyId, key]) => ownKeyMessage({ keyId, key, lastUsedOn: days.get(keyId) })) };
    },

    async deleteApiKey(request, context) {
      const { accountId, keyId: revokedBy } = requireKey(context);
      const keyId = requestedId("API key", request.keyId);
      const { account } = await findAccount(dependencies, accountId);
      const key = account.apiKeys.get(keyId);
      if (key === undefined && (await queries.keyById(keyId)) !== undefined)
        throw rejectionError(rejection("unauthorized"));
      // Revoked keys are not listed and count as missing, except for the repeat of a deletion.
      if (key === undefined) throw noSuch("API key");
      await revokeKey(dependencies, { accountId, keyId, revokedBy }, context);
      return {};
    },
  };
}

/** Returns the calling customer with the key of the call. @throws ConnectError `unauthorized` if the call has no key. */
function requireKey(context: WithContextValues): Required<AccountCaller> {
  const { keyId, ...caller } = requireAccount(context);
  if (keyId === undefined) throw rejectionError(rejection("unauthorized"));
  return { ...caller, keyId };
}

function parseLabel(label: string): Parsed<string> {
  return label.trim() === "" ? parsed("") : parseName(label, maximumKeyLabel);
}

/** Parses a key number. @throws ConnectError `api-key-not-found` */
export function requestedKeyId(id: bigint): number {
  const keyId = parseId(id);
  if (!keyId.ok) throw rejectionError(rejection("api-key-not-found"));
  return keyId.value;
}
