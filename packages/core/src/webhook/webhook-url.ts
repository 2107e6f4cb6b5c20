import { isWithin } from "../kernel/ip-network.ts";
import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost } from "../kernel/values.ts";
import { maximumWebhookUrl } from "./webhook.events.ts";

/**
 * IPv4 networks that are not the Internet: private, shared, loopback, link-local, for documentation and measurements, multicast
 * and reserved (RFC 6890 and the registries that it names).
 */
const specialIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** Every IPv4 address, as IPv6 writes it. */
const mappedIpv4 = "::ffff:0:0/96";

/** Of IPv6 what is assigned to the Internet is here, and nothing else is … */
const globalIpv6 = "2000::/3";

/** … but for tunnels to whatever address (Teredo, 6to4) and what documents and protocols use. */
const specialIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** Whether an address is anybody's on the Internet. @param address IPv4 or IPv6; what is neither is not. */
export function isPublicAddress(address: string): boolean {
  if (isWithin(address, [mappedIpv4])) return !isWithin(address, specialIpv4);
  return isWithin(address, [globalIpv6]) && !isWithin(address, specialIpv6);
}

/** Whether something may be sent to an address. @param allowed networks (CIDR) that may be reached although they are not public. */
export function isReachable(address: string, allowed: readonly string[]): boolean {
  return isPublicAddress(address) || isWithin(address, allowed);
}

/**
 * Reads a URL to send to: `http` or `https`, with a host, and without a user. What its host is reached by is looked at before each
 * connection.
 */
export function parseWebhookUrl(text: string): Parsed<string> {
  if (!hasAtMost(text, maximumWebhookUrl))
    return unparsable(`must have at most ${String(maximumWebhookUrl)} characters`);
  const url = URL.parse(text);
  if (url === null || /[\s\p{Cc}]/u.test(text)) return unparsable("must be a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return unparsable("must begin with https:// or http://");
  if (url.username !== "" || url.password !== "") return unparsable("must not name a user or a password");
  return parsed(text);
}
