import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A new API key: the secret is shown once, only its hash is kept. */
export interface NewApiKey {
  readonly secret: string;
  readonly hash: string;
  /** The first characters, to recognise the key by. */
  readonly prefix: string;
}

// `hlk_` makes a leaked key recognisable to scanners; the checksum refuses a mistyped one without a look-up.
const form = /^hlk_([A-Za-z0-9_-]{32})([0-9a-f]{8})$/;

/** Random bytes in a key: 192 bits, written as 32 characters of base64url. */
export const apiKeyRandomBytes = 24;

/** Makes a key. @param random 32 characters of base64url from a secure source. */
export function createApiKey(random: string): NewApiKey {
  const secret = `hlk_${random}${checksumOf(random)}`;
  return { secret, hash: hashApiKey(secret), prefix: secret.slice(0, 10) };
}

/** True for a text that could be a key: the form fits and the checksum is right. */
export function isWellFormedApiKey(text: string): boolean {
  const match = form.exec(text);
  return match !== null && checksumOf(match[1] ?? "") === match[2];
}

/** SHA-256 in hex. A slow hash would add nothing: the key is 192 random bits, not a password. */
export function hashApiKey(secret: string): string {
  return hash("sha256", secret, "hex");
}

function checksumOf(random: string): string {
  return crc32(random).toString(16).padStart(8, "0");
}
