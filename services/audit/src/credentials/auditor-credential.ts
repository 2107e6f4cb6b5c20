import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A new credential. The secret is shown once; only its hash is stored. */
export interface NewAuditorCredential {
  readonly secret: string;
  readonly hash: string;
  /** The first characters, by which people recognise the credential. */
  readonly prefix: string;
}

// The credential contains its id, so that its own stream can be read, where a revocation is visible at once. The checksum
// refuses a mistyped credential without a read. Scanners recognise leaked ones by `hla_`.
const form = /^hla_(?<id>[1-9]\d{0,14})_(?<random>[A-Za-z0-9_-]{32})(?<checksum>[0-9a-f]{8})$/u;

/** Random bytes in a credential: 192 bits, written as 32 characters of base64url. */
export const credentialRandomBytes = 24;

/** Makes a credential. @param random 32 characters of base64url from a secure source. */
export function createAuditorCredential(credentialId: number, random: string): NewAuditorCredential {
  const id = String(credentialId);
  const secret = `hla_${id}_${random}${checksumOf(id, random)}`;
  return { secret, hash: hash("sha256", secret, "hex"), prefix: `hla_${id}_${random.slice(0, 6)}` };
}

/** Returns the id and the hash of a possible credential; undefined if the form or the checksum is wrong. */
export function readAuditorCredential(
  text: string,
): { readonly credentialId: number; readonly hash: string } | undefined {
  const { id = "", random = "", checksum } = form.exec(text)?.groups ?? {};
  if (checksum === undefined || checksumOf(id, random) !== checksum) return undefined;
  return { credentialId: Number(id), hash: hash("sha256", text, "hex") };
}

function checksumOf(id: string, random: string): string {
  return crc32(`${id}_${random}`).toString(16).padStart(8, "0");
}
