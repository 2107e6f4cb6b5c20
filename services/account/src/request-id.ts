import { hash } from "node:crypto";

/**
 * The id of a key's stream. A hash, since a key may hold what a stream's name must not; the account is part of it, so that
 * accounts do not share keys. NUL is in no key, which makes the two parts unmistakable.
 */
export function requestIdOf(accountId: number, key: string): string {
  return hash("sha256", `${String(accountId)}\0${key}`, "hex");
}
