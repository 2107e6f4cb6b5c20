import type { IncomingHttpHeaders } from "node:http";
import { isIP, isIPv6 } from "node:net";

import proxyAddress from "proxy-addr";

/** What tells where a request comes from, of whatever version of HTTP. */
export interface RequestOrigin {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The network that a request comes from, as it is counted. */
export type ClientNetworkOf = (request: RequestOrigin) => string;

/**
 * Finds out who a request comes from: the connection's address, or what a trusted proxy says in `X-Forwarded-For`, which
 * is read from the right and never beyond a trusted hop.
 * @param trustedProxies addresses and networks (CIDR).
 */
export function createClientNetworkOf(trustedProxies: readonly string[]): ClientNetworkOf {
  const addressOf = createClientAddressOf(trustedProxies);
  return (request) => networkOf(addressOf(request));
}

/**
 * Finds out the address that a request comes from, in the same way. What a trusted proxy says may be any text.
 * @param trustedProxies addresses and networks (CIDR).
 */
export function createClientAddressOf(trustedProxies: readonly string[]): (request: RequestOrigin) => string {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return ({ headers, socket }) => {
    const said = String(headers["x-forwarded-for"] ?? "").split(",");
    let address = socket.remoteAddress ?? "";
    for (const [hop, before] of said
      .map((each) => each.trim())
      .filter(Boolean)
      .reverse()
      .entries()) {
      if (!isTrusted(address, hop)) break;
      address = before;
    }
    return address;
  };
}

/** An IPv4 address as it is; of an IPv6 address its first half, since a customer has at least a /64 (RFC 6177 §2). */
export function networkOf(address = "unknown"): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  // What a proxy says may be any text.
  if (mapped === undefined && isIP(address) === 0) return "unknown";
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const groups = head === "" ? [] : head.split(":");
  // "::" stands for the zeros that are missing from eight groups; only those of the first half matter here.
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail?.split(":") ?? [])];
  return all.slice(0, 4).join(":");
}
