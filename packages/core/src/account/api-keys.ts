import { isInForce, isOver } from "../kernel/credential-term.ts";
import { accept, reject, type Decision } from "../kernel/decider.ts";
import { isWithin } from "../kernel/ip-network.ts";
import type { IssueApiKey, RevokeApiKey } from "./account.commands.ts";
import type { AccountEvent } from "./account.events.ts";
import type { ApiKey, OpenAccountState } from "./account.state.ts";
import { apiKeyScopes, hasScope } from "./api-key-scopes.ts";

/** Maximum characters of a key's label. */
export const maximumKeyLabel = 100;

/** Maximum valid keys that a customer may issue; staff may issue more. */
export const maximumOwnKeys = 100;

type Grant = Pick<ApiKey, "scopes" | "expiresAt" | "addresses">;

/**
 * Issues a key, never with more permissions than the issuing key. A repeat revokes the first run's key, which nobody saw.
 */
export function issueApiKey({ data }: IssueApiKey, state: OpenAccountState): Decision<AccountEvent> {
  const { at, issuedBy, ...key } = data;
  if (state.apiKeys.has(key.keyId)) return accept();
  if (state.erasedAt !== undefined)
    return reject("account-not-open", "The account's personal data was erased: it gets no new API key.");
  if (isOver(key.expiresAt, at))
    return reject("validation-failed", "The field expires_at must be in the future.", {
      fieldErrors: { expires_at: ["must be in the future"] },
    });
  const unshown = [...state.apiKeys].filter(
    ([, { operationId, revokedAt }]) => operationId === key.operationId && revokedAt === null,
  );
  const revocations = unshown.map(([keyId, { keyHash }]) => revocation(keyId, keyHash, at));
  const issued = (grant: Grant): Decision<AccountEvent> =>
    accept(...revocations, {
      type: "ApiKeyIssued",
      data: { ...key, ...grant, accountId: key.label === "" ? null : state.accountId, issuedAt: at },
    });
  if (issuedBy === null) return issued(key);
  const issuer = state.apiKeys.get(issuedBy);
  if (issuer === undefined || !isInForce(issuer, at)) return reject("unauthenticated");
  const inForce = [...state.apiKeys.values()].filter((each) => isInForce(each, at)).length;
  if (inForce - unshown.length >= maximumOwnKeys) return reject("too-many-api-keys");
  const grant = {
    scopes: key.scopes ?? issuer.scopes,
    expiresAt: key.expiresAt ?? issuer.expiresAt,
    addresses: key.addresses.length === 0 ? issuer.addresses : key.addresses,
  };
  return refusalOf(grant, issuer, "A key cannot grant more than it has:") ?? issued(grant);
}

/** Returns why a key may not issue or revoke a key with this grant; undefined if it may. @param more begins the sentence */
function refusalOf(grant: Grant, issuer: ApiKey, more: string): Decision<never> | undefined {
  const scope = (grant.scopes ?? apiKeyScopes).find((each) => !hasScope(issuer.scopes, each));
  if (scope !== undefined) return reject("missing-scope", `${more} it lacks the scope ${scope}.`, { scope });
  const { expiresAt, addresses } = issuer;
  if (expiresAt !== null && (grant.expiresAt === null || grant.expiresAt > expiresAt))
    return reject(
      "unauthorized",
      `${more} it expires at ${expiresAt}. Use one that expires later, or never.`,
    );
  if (addresses.length === 0) return undefined;
  if (grant.addresses.length === 0)
    return reject("unauthorized", `${more} it is limited to addresses. Name some of them in addresses.`);
  const outside = grant.addresses.find((each) => !isWithin(each, addresses));
  return outside === undefined
    ? undefined
    : reject("unauthorized", `${more} it may not be used from ${outside}. Name others in addresses.`);
}

/** Revokes a key for ever. A customer's key may revoke itself and keys that it could issue. */
export function revokeApiKey(
  { data: { keyId, revokedBy, at } }: RevokeApiKey,
  { apiKeys }: OpenAccountState,
): Decision<AccountEvent> {
  const key = apiKeys.get(keyId);
  if (key === undefined) return reject("api-key-not-found");
  if (revokedBy !== undefined && key.revokedAt === null) {
    const revoker = apiKeys.get(revokedBy);
    if (revoker === undefined || !isInForce(revoker, at)) return reject("unauthenticated");
    const refusal = refusalOf(key, revoker, "A key cannot revoke a key that has more than it has:");
    if (refusal !== undefined) return refusal;
  }
  return key.revokedAt === null ? accept(revocation(keyId, key.keyHash, at)) : accept();
}

export function revocation(keyId: number, keyHash: string, revokedAt: string) {
  return { type: "ApiKeyRevoked", data: { keyId, keyHash, revokedAt } } as const;
}
