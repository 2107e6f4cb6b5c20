import type { IncomingHttpHeaders } from "node:http";
import { isIP, isIPv6 } from "node:net";

import proxyAddress from "proxy-addr";

/** The parts of a request that identify its client, for any HTTP version. */
export interface RequestOrigin {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

export type ClientNetworkOf = (request: RequestOrigin) => string;

/**
 * Creates a function that finds the client's network: from the connection, or from `X-Forwarded-For` of trusted
 * proxies. The header is read from the right up to the first untrusted hop.
 * @param trustedProxies addresses and networks (CIDR).
 */
export function createClientNetworkOf(trustedProxies: readonly string[]): ClientNetworkOf {
  const addressOf = createClientAddressOf(trustedProxies);
  return (request) => networkOf(addressOf(request));
}

/** Creates a function that finds a client's address. @param trustedProxies addresses and networks (CIDR) */
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

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address, because a customer has a /64 (RFC 6177 §2). */
export function networkOf(address = "unknown"): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  // A proxy may send any text as an address.
  if (mapped === undefined && isIP(address) === 0) return "unknown";
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const groups = head === "" ? [] : head.split(":");
  // "::" replaces the missing zeros of eight groups; the network needs only the first four groups.
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail?.split(":") ?? [])];
  return all.slice(0, 4).join(":");
}
