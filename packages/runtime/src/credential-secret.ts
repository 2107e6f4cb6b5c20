import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A new secret. It is shown once; only its hash is stored. */
export interface NewSecret {
  readonly secret: string;
  readonly hash: string;
  /** The first characters, by which people recognise the secret. */
  readonly prefix: string;
}

/** Random bytes in a secret: 192 bits, written as 32 characters of base64url. */
export const secretRandomBytes = 24;

/**
 * Makes a secret that contains ids, so that its own stream can be read, where a revocation is visible at once.
 * @param scheme the beginning, by which scanners recognise leaked secrets, for example `hlk_`
 * @param random 32 characters of base64url from a secure source
 */
export function createSecret(scheme: string, ids: readonly number[], random: string): NewSecret {
  const named = ids.map((id) => `${String(id)}_`).join("");
  const secret = `${scheme}${named}${random}${checksumOf(named + random)}`;
  return { secret, hash: hashOfSecret(secret), prefix: `${scheme}${named}${random.slice(0, 6)}` };
}

/** Reads the unverified ids and the hash of a secret; undefined if the form or the checksum is wrong. */
export function readSecret(
  scheme: string,
  text: string,
): { readonly ids: readonly number[]; readonly hash: string } | undefined {
  if (!text.startsWith(scheme)) return undefined;
  const { ids = "", random = "", checksum } = form.exec(text.slice(scheme.length))?.groups ?? {};
  // The checksum refuses a mistyped secret without a read.
  if (checksum === undefined || checksumOf(ids + random) !== checksum) return undefined;
  return { ids: ids.split("_").slice(0, -1).map(Number), hash: hashOfSecret(text) };
}

const form = /^(?<ids>(?:[1-9]\d{0,14}_){0,2})(?<random>[A-Za-z0-9_-]{32})(?<checksum>[0-9a-f]{8})$/u;

/** Returns SHA-256 in hex. A slow hash is unnecessary, because secrets have at least 192 random bits. */
export function hashOfSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
