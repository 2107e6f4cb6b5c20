const octet = "(?:0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
const ipv4Pattern = new RegExp(`^${octet}(?:\\.${octet}){3}$`);
const groupPattern = /^[0-9a-f]{1,4}$/i;

/** Returns true for four decimal numbers from 0 to 255 without leading zeros, because some programs read those as octal. */
export function isIpv4(text: string): boolean {
  return ipv4Pattern.test(text);
}

/**
 * Returns the form of an IPv6 address for comparisons: eight groups of hexadecimal digits in lower case, none left out.
 *
 * @param text any form of RFC 4291 §2.2 (whole, compressed, or with an IPv4 address at its end) without a zone index.
 * @returns undefined if the text is not such an address.
 */
export function canonicalIpv6(text: string): string | undefined {
  const [first = "", second, ...others] = text.split("::");
  if (others.length > 0) return undefined;
  const head = groupsOf(first, second === undefined);
  if (head === undefined) return undefined;
  if (second === undefined) return head.length === 8 ? head.join(":") : undefined;
  const tail = groupsOf(second, true);
  if (tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  // `::` stands for at least one group.
  return missing < 1 ? undefined : [...head, ...Array<string>(missing).fill("0"), ...tail].join(":");
}

/** Returns the groups of a part without `::`; an IPv4 address at the very end makes two groups. */
function groupsOf(part: string, isLast: boolean): readonly string[] | undefined {
  if (part === "") return [];
  const texts = part.split(":");
  const groups: string[] = [];
  for (const [index, text] of texts.entries()) {
    if (isLast && index === texts.length - 1 && isIpv4(text)) groups.push(...groupsOfIpv4(text));
    else if (groupPattern.test(text)) groups.push(Number.parseInt(text, 16).toString(16));
    else return undefined;
  }
  return groups;
}

function groupsOfIpv4(text: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

/** Returns the form of an address for comparisons, without a network length: IPv4 unchanged, IPv6 in full. */
export function canonicalAddress(text: string): string | undefined {
  return isIpv4(text) ? text : canonicalIpv6(text.replace(/\/\d{1,3}$/u, ""));
}
