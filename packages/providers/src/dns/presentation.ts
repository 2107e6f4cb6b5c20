import { txtStrings } from "@hostledger/core";

/**
 * A character string as zone files write it (RFC 1035 §5.1): in quotation marks, and what is not printable ASCII as
 * the decimal number of its octet.
 */
export function quoted(octets: Uint8Array): string {
  let text = "";
  for (const octet of octets) {
    const character = String.fromCharCode(octet);
    if (character === '"' || character === "\\") text += `\\${character}`;
    else text += octet >= 0x20 && octet < 0x7f ? character : `\\${String(octet).padStart(3, "0")}`;
  }
  return `"${text}"`;
}

/** The text of a TXT record as zone files write it: in strings of at most 255 octets. */
export function quotedText(text: string): string {
  return txtStrings(text).map(quoted).join(" ");
}

/** Reads the character strings of a record and joins them, as readers of TXT do (RFC 7208 §3.3). */
export function unquotedText(content: string): string {
  const octets: number[] = [];
  for (const [, inQuotes, bare] of content.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s"]+)/gs)) {
    // An escape is one octet, by its number or as it stands; everything else is text.
    for (const [, number, escaped, plain] of (inQuotes ?? bare ?? "").matchAll(
      /\\(\d{3})|\\(.)|([^\\]+)/gsu,
    )) {
      if (number === undefined) octets.push(...new TextEncoder().encode(escaped ?? plain ?? ""));
      else octets.push(Number(number) & 0xff);
    }
  }
  return new TextDecoder().decode(Uint8Array.from(octets));
}
