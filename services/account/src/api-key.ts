import { createSecret, readSecret, type NewSecret } from "@hostledger/runtime";

export { hashOfSecret as hashApiKey, secretRandomBytes as apiKeyRandomBytes } from "@hostledger/runtime";

export interface ApiKeyOwner {
  readonly accountId: number;
  readonly keyId: number;
}

/** A text in the form of a key. */
export interface ShownApiKey {
  readonly hash: string;
  /** Account and key number in the text, unverified; undefined for keys issued without numbers, which stay valid. */
  readonly owner: ApiKeyOwner | undefined;
}

/** Creates a key. @param random 32 characters of base64url from a secure source. */
export function createApiKey({ accountId, keyId }: ApiKeyOwner, random: string): NewSecret {
  return createSecret("hlk_", [accountId, keyId], random);
}

/** Parses a key; undefined if the form or checksum is wrong. */
export function readApiKey(text: string): ShownApiKey | undefined {
  const { ids, hash } = readSecret("hlk_", text) ?? {};
  if (ids === undefined || hash === undefined || ids.length === 1) return undefined;
  const [accountId, keyId] = ids;
  return { hash, owner: accountId === undefined || keyId === undefined ? undefined : { accountId, keyId } };
}
