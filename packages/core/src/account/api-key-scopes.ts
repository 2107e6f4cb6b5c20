import { isNetwork } from "../kernel/ip-network.ts";
import { parsed, unparsable, type Parsed } from "../kernel/result.ts";

/** What an API key may be allowed (contract, second part). A key without scopes is allowed everything. */
export const apiKeyScopes = [
  "read",
  "domains",
  "dns",
  "dns:txt",
  "servers",
  "tickets",
  "billing",
  "keys",
  "webhooks",
  "account",
] as const;

/** A scope of an API key. */
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** Networks and addresses that one key may name. */
export const maximumKeyAddresses = 20;

/** True for a scope; what is stored or sent is any text. */
export function isApiKeyScope(text: string): text is ApiKeyScope {
  return apiKeyScopes.some((scope) => scope === text);
}

/** Whether a key with these scopes has one of them. @param held null for everything */
export function hasScope(held: readonly string[] | null, wanted: string): boolean {
  if (held === null || held.includes(wanted)) return true;
  // Whoever may write any record may write this kind.
  return wanted === "dns:txt" && held.includes("dns");
}

/** Reads the scopes that somebody asks for, each once. Of none at all, null: it is the issuer who says what that means. */
export function parseScopes(texts: readonly string[]): Parsed<readonly ApiKeyScope[] | null> {
  const scopes = apiKeyScopes.filter((scope) => texts.includes(scope));
  if (!texts.every(isApiKeyScope)) return unparsable(`must be some of ${apiKeyScopes.join(", ")}`);
  return parsed(scopes.length === 0 ? null : scopes);
}

/** Reads addresses and networks (CIDR), as they are written. */
export function parseAddresses(texts: readonly string[]): Parsed<readonly string[]> {
  const rule = "must be IPv4 or IPv6 addresses, or networks such as 192.0.2.0/24";
  if (texts.length > maximumKeyAddresses)
    return unparsable(`${rule}, at most ${String(maximumKeyAddresses)}`);
  return texts.every(isNetwork) ? parsed(texts) : unparsable(rule);
}
