import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A new API key: the secret is shown once, only its hash is kept. */
export interface NewApiKey {
  readonly secret: string;
  readonly hash: string;
  /** The first characters, to recognise the key by. */
  readonly prefix: string;
}

/** Whose a key is, and which of the account's it is. */
export interface ApiKeyOwner {
  readonly accountId: number;
  readonly keyId: number;
}

/** A text that has the form of a key. */
export interface ShownApiKey {
  readonly hash: string;
  /** What the key says of itself; undefined for one that was issued before keys did. Nothing is true until the account says so. */
  readonly owner: ApiKeyOwner | undefined;
}

// The ids are in the key, so that it is looked up in its account's own stream, where a revocation is known at once. `hlk_`
// makes a leaked key recognisable to scanners; the checksum refuses a mistyped one without a look-up. Keys that were issued
// without ids stay valid.
const form =
  /^hlk_(?<ids>(?<account>[1-9]\d{0,14})_(?<key>[1-9]\d{0,14})_)?(?<random>[A-Za-z0-9_-]{32})(?<checksum>[0-9a-f]{8})$/u;

/** Random bytes in a key: 192 bits, written as 32 characters of base64url. */
export const apiKeyRandomBytes = 24;

/** Makes a key. @param random 32 characters of base64url from a secure source. */
export function createApiKey({ accountId, keyId }: ApiKeyOwner, random: string): NewApiKey {
  const ids = `${String(accountId)}_${String(keyId)}_`;
  const secret = `hlk_${ids}${random}${checksumOf(ids + random)}`;
  return { secret, hash: hashApiKey(secret), prefix: `hlk_${ids}${random.slice(0, 6)}` };
}

/** Reads a text that could be a key; undefined when the form or the checksum is wrong. */
export function readApiKey(text: string): ShownApiKey | undefined {
  const { ids = "", account, key, random = "", checksum } = form.exec(text)?.groups ?? {};
  if (checksum === undefined || checksumOf(ids + random) !== checksum) return undefined;
  const owner =
    account === undefined || key === undefined
      ? undefined
      : { accountId: Number(account), keyId: Number(key) };
  return { hash: hashApiKey(text), owner };
}

/** SHA-256 in hex. A slow hash would add nothing: the key is 192 random bits, not a password. */
export function hashApiKey(secret: string): string {
  return hash("sha256", secret, "hex");
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
