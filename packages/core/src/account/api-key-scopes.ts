import { canonicalIpv6, isIpv4 } from "../kernel/ip-address.ts";
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
  return texts.every((text) => networkBits(text) !== undefined) ? parsed(texts) : unparsable(rule);
}

/**
 * Whether an address, or a network, is in one of the networks. An IPv4 address is the same when it is written as an IPv6 one
 * that maps it (RFC 4291 §2.5.5.2).
 */
export function isWithin(inner: string, networks: readonly string[]): boolean {
  const bits = networkBits(inner);
  return bits !== undefined && networks.some((network) => bits.startsWith(networkBits(network) ?? "none"));
}

/** The bits that all addresses of a network begin with; undefined for what is none. */
function networkBits(text: string): string | undefined {
  const [address = "", length, ...more] = text.split("/");
  const isShort = isIpv4(address);
  const groups = canonicalIpv6(isShort ? `::ffff:${address}` : address);
  if (groups === undefined || more.length > 0) return undefined;
  const bits = groups
    .split(":")
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0"))
    .join("");
  if (length === undefined) return bits;
  if (!/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const kept = Number(length) + (isShort ? 96 : 0);
  return kept <= bits.length ? bits.slice(0, kept) : undefined;
}
