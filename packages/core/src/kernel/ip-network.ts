import { canonicalIpv6, isIpv4 } from "./ip-address.ts";

/** Returns true if an address or network lies in one of the networks; IPv4 equals mapped IPv6 (RFC 4291 §2.5.5.2). */
export function isWithin(inner: string, networks: readonly string[]): boolean {
  const bits = networkBits(inner);
  return bits !== undefined && networks.some((network) => bits.startsWith(networkBits(network) ?? "none"));
}

export function isNetwork(text: string): boolean {
  return networkBits(text) !== undefined;
}

/** Returns the bits that all addresses of a network share; undefined if the text is no network. */
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
