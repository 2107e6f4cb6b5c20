import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A new API key. The secret is shown once; only its hash is stored. */
export interface NewApiKey {
  readonly secret: string;
  readonly hash: string;
  /** First characters, by which people recognise the key. */
  readonly prefix: string;
}

export interface ApiKeyOwner {
  readonly accountId: number;
  readonly keyId: number;
}

/** A text in the form of a key. */
export interface ShownApiKey {
  readonly hash: string;
  /** Account and key number in the text, unverified; undefined for keys issued without numbers. */
  readonly owner: ApiKeyOwner | undefined;
}

// The key contains its account, so it is looked up in the account's stream, where a revocation is visible at once.
// `hlk_` lets
// scanners recognise leaked keys; the checksum detects mistyped keys without a look-up. Keys issued without numbers
// stay valid.
const form =
  /^hlk_(?<ids>(?<account>[1-9]\d{0,14})_(?<key>[1-9]\d{0,14})_)?(?<random>[A-Za-z0-9_-]{32})(?<checksum>[0-9a-f]{8})$/u;

/** Random bytes of a key: 192 bits, 32 characters in base64url. */
export const apiKeyRandomBytes = 24;

/** Creates a key. @param random 32 characters of base64url from a secure source. */
export function createApiKey({ accountId, keyId }: ApiKeyOwner, random: string): NewApiKey {
  const ids = `${String(accountId)}_${String(keyId)}_`;
  const secret = `hlk_${ids}${random}${checksumOf(ids + random)}`;
  return { secret, hash: hashApiKey(secret), prefix: `hlk_${ids}${random.slice(0, 6)}` };
}

/** Parses a key; undefined if the form or checksum is wrong. */
export function readApiKey(text: string): ShownApiKey | undefined {
  const { ids = "", account, key, random = "", checksum } = form.exec(text)?.groups ?? {};
  if (checksum === undefined || checksumOf(ids + random) !== checksum) return undefined;
  const owner =
    account === undefined || key === undefined
      ? undefined
      : { accountId: Number(account), keyId: Number(key) };
  return { hash: hashApiKey(text), owner };
}

/** Returns SHA-256 in hex. A slow hash is unnecessary, because the key has 192 random bits. */
export function hashApiKey(secret: string): string {
  return hash("sha256", secret, "hex");
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
