import { createHash } from "node:crypto";

const names = new Map<string, string>();

/** Returns a short, stable name for a text, because PostgreSQL's names have at most 63 bytes. */
export function hashOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= 10_000) names.clear();
  const name = createHash("sha256").update(text).digest("hex").slice(0, 40);
  names.set(text, name);
  return name;
}

/** Returns a 64-bit key for PostgreSQL's advisory locks. */
export function lockKey(name: string): string {
  return String(createHash("sha256").update(`hostledger ${name}`).digest().readBigInt64BE(0));
}
