import { txtStrings } from "@hostledger/core";

/** Formats a character string for zone files (RFC 1035 §5.1), with unprintable octets as decimal numbers. */
export function quoted(octets: Uint8Array): string {
  let text = "";
  for (const octet of octets) {
    const character = String.fromCharCode(octet);
    if (character === '"' || character === "\\") text += `\\${character}`;
    else text += octet >= 0x20 && octet < 0x7f ? character : `\\${String(octet).padStart(3, "0")}`;
  }
  return `"${text}"`;
}

/** Formats a TXT record's text in strings of at most 255 octets. */
export function quotedText(text: string): string {
  return txtStrings(text).map(quoted).join(" ");
}

/** Parses a record's character strings and joins them, like readers of TXT (RFC 7208 §3.3). */
export function unquotedText(content: string): string {
  const octets: number[] = [];
  for (const [, inQuotes, bare] of content.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s"]+)/gs)) {
    // An escape is one octet, by number or literally; anything else is text.
    for (const [, number, escaped, plain] of (inQuotes ?? bare ?? "").matchAll(
      /\\(\d{3})|\\(.)|([^\\]+)/gsu,
    )) {
      if (number === undefined) octets.push(...new TextEncoder().encode(escaped ?? plain ?? ""));
      else octets.push(Number(number) & 0xff);
    }
  }
  return new TextDecoder().decode(Uint8Array.from(octets));
}
