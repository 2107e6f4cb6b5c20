/** Letters and digits that people do not confuse; the first 22 are letters. */
const alphabet = "abcdefghjkmnpqrstvwxyz0123456789";
const letters = 22;

export const installationPartBytes = 6;

/** Returns the random part for these bytes: 6 characters. */
export function installationPart(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, installationPartBytes), (byte, at) =>
    alphabet.charAt(byte % (at === 0 ? letters : alphabet.length)),
  ).join("");
}

/** Returns the id of an order's run, which the provider gets too: `registration-k3x7m2-42`. */
export function orderIdOf(category: string, part: string, operation: string): string {
  return `${category}-${part}-${operation}`;
}

/** Returns the installation's random part in an order's id; undefined if an earlier version made the id. */
export function partOfOrder(orderId: string): string | undefined {
  return /^[a-z]+-([a-z][a-z0-9]{5})-./.exec(orderId)?.[1];
}
