/** Octets of one character string (RFC 1035 §3.3). */
const longestStringOctets = 255;

/**
 * A TXT record's text as the character strings of its wire form: UTF-8, cut into pieces of at most 255 octets. Readers
 * join the pieces (RFC 7208 §3.3), so that they are cut where they are full, but never inside a character: some readers
 * show each piece by itself.
 *
 * @param text well-formed; an empty one is one empty string.
 */
export function txtStrings(text: string): readonly Uint8Array[] {
  const octets = new TextEncoder().encode(text);
  const strings: Uint8Array[] = [];
  let start = 0;
  do {
    let end = Math.min(start + longestStringOctets, octets.length);
    while (end < octets.length && isInsideCharacter(octets[end])) end -= 1;
    strings.push(octets.subarray(start, end));
    start = end;
  } while (start < octets.length);
  return strings;
}

/** UTF-8 marks every octet of a character but its first with the bits 10. */
function isInsideCharacter(octet: number | undefined): boolean {
  return octet !== undefined && (octet & 0b1100_0000) === 0b1000_0000;
}
