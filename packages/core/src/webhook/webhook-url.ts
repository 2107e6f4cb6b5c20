import { isWithin } from "../kernel/ip-network.ts";
import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost, hiddenCharacterFault } from "../kernel/values.ts";
import { maximumWebhookUrl } from "./webhook.events.ts";

/** IPv4 networks outside the public Internet (RFC 6890 and the registries that it names). */
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

/** All IPv4 addresses in IPv6 form. */
const mappedIpv4 = "::ffff:0:0/96";

/** The IPv6 networks of the public Internet … */
const globalIpv6 = "2000::/3";

/** … except tunnels to any address (Teredo, 6to4) and networks for documentation and protocols. */
const specialIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** Returns true for an address of the public Internet. @param address IPv4 or IPv6; other texts return false. */
export function isPublicAddress(address: string): boolean {
  if (isWithin(address, [mappedIpv4])) return !isWithin(address, specialIpv4);
  return isWithin(address, [globalIpv6]) && !isWithin(address, specialIpv6);
}

/** Returns true if a webhook may be sent to an address. @param allowed permitted networks (CIDR) that are not public. */
export function isReachable(address: string, allowed: readonly string[]): boolean {
  return isPublicAddress(address) || isWithin(address, allowed);
}

/** Ports of other protocols: 0, WHATWG's "bad ports" (Fetch standard, §2.9), common databases and remote desktops. */
const otherProtocolPorts: ReadonlySet<string> = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 " +
    "137 138 139 143 161 162 179 389 427 445 465 500 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 873 " +
    "989 990 993 995 1433 1521 1719 1720 1723 2049 3306 3389 3659 4045 4190 5060 5061 5432 5900 6000 6379 6566 6665 6666 " +
    "6667 6668 6669 6679 6697 10080 11211 27017"
  ).split(" "),
);

/** Reads a webhook's URL: `http` or `https` with a host and no user. The sender checks the host before each connection. */
export function parseWebhookUrl(text: string): Parsed<string> {
  if (!hasAtMost(text, maximumWebhookUrl))
    return unparsable(`must have at most ${String(maximumWebhookUrl)} characters`);
  const hidden = hiddenCharacterFault(text);
  if (hidden !== undefined) return unparsable(hidden);
  const url = URL.parse(text);
  if (url === null || /[\s\p{Cc}]/u.test(text)) return unparsable("must be a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return unparsable("must begin with https:// or http://");
  if (otherProtocolPorts.has(url.port))
    return unparsable(`must not name port ${url.port}, which is not for HTTP`);
  if (url.username !== "" || url.password !== "") return unparsable("must not name a user or a password");
  return parsed(text);
}
