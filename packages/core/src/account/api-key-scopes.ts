import { isNetwork } from "../kernel/ip-network.ts";
import { parsed, unparsable, type Parsed } from "../kernel/result.ts";

/** Scopes of a key without scopes that was issued before the scope `payments` existed. */
export const scopesBeforePayments: string[] = [
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
];

/** Scopes of an API key (contract, second part). A key without scopes may do everything. */
export const apiKeyScopes = [
  "read",
  "domains",
  "dns",
  "dns:txt",
  "servers",
  "tickets",
  "billing",
  "payments",
  "keys",
  "webhooks",
  "account",
] as const;

export type ApiKeyScope = (typeof apiKeyScopes)[number];

export const maximumKeyAddresses = 20;

export function isApiKeyScope(text: string): text is ApiKeyScope {
  return apiKeyScopes.some((scope) => scope === text);
}

/** Returns true if a key has a scope. @param held the key's scopes; null for all */
export function hasScope(held: readonly string[] | null, wanted: string): boolean {
  if (held === null || held.includes(wanted)) return true;
  // The scope for all DNS records includes TXT records.
  return wanted === "dns:txt" && held.includes("dns");
}

/** Reads requested scopes without duplicates. Returns null for an empty list; the issuer decides its meaning. */
export function parseScopes(texts: readonly string[]): Parsed<readonly ApiKeyScope[] | null> {
  const scopes = apiKeyScopes.filter((scope) => texts.includes(scope));
  if (!texts.every(isApiKeyScope)) return unparsable(`must be some of ${apiKeyScopes.join(", ")}`);
  return parsed(scopes.length === 0 ? null : scopes);
}

/** Reads addresses and networks (CIDR), and returns them unchanged. */
export function parseAddresses(texts: readonly string[]): Parsed<readonly string[]> {
  const rule = "must be IPv4 or IPv6 addresses, or networks such as 192.0.2.0/24";
  if (texts.length > maximumKeyAddresses)
    return unparsable(`${rule}, at most ${String(maximumKeyAddresses)}`);
  return texts.every(isNetwork) ? parsed(texts) : unparsable(rule);
}
