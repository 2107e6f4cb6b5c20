/** Letters and digits that nobody mistakes for others; the first 22 are letters. */
const alphabet = "abcdefghjkmnpqrstvwxyz0123456789";
const letters = 22;

/** Random bytes that one part takes. */
export const installationPartBytes = 6;

/** The random part that these bytes make: 6 characters. */
export function installationPart(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, installationPartBytes), (byte, at) =>
    alphabet.charAt(byte % (at === 0 ? letters : alphabet.length)),
  ).join("");
}

/** The id of an order's run, which the provider is given too: `registration-k3x7m2-42`. */
export function orderIdOf(category: string, part: string, operation: string): string {
  return `${category}-${part}-${operation}`;
}

/** The installation's part in the id of an order; undefined in an id that an earlier version made. */
export function partOfOrder(orderId: string): string | undefined {
  return /^[a-z]+-([a-z][a-z0-9]{5})-./.exec(orderId)?.[1];
}
