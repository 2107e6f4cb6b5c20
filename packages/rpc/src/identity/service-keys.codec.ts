import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";

import { z } from "zod";

/** The parts of a deployment; each signs its calls with its own key. */
export const partNames = ["account", "domain", "server", "support", "audit", "gateway"] as const;

export type PartName = (typeof partNames)[number];

export interface SigningKey {
  /** Begins with the part's name and a dot. The list of public keys decides the owner of a key, never a token alone. */
  readonly kid: string;
  readonly part: PartName;
  readonly privateKey: KeyObject;
}

/** A key that verifies a part's signatures. */
export interface VerifyingKey {
  readonly part: PartName;
  readonly publicKey: KeyObject;
}

/** The public keys of a deployment, by their ids. */
export type VerifyingKeys = ReadonlyMap<string, VerifyingKey>;

/** A pair of keys as text, JSON Web Keys (RFC 7517, RFC 8037). */
export interface NewServiceKey {
  readonly kid: string;
  readonly privateText: string;
  /** Public key, as added to the list. */
  readonly publicKey: PublicJwk;
}

/** Thrown for keys that cannot be used; the message is one sentence without the key. */
export class ServiceKeyError extends Error {
  override readonly name = "ServiceKeyError";
}

/** More keys than this are no list of a deployment: each of six parts has one, or two while they change. */
const keyLimit = 64;

const kidForm = new RegExp(`^(?<part>${partNames.join("|")})\\.[A-Za-z0-9_-]{16}$`);
const point = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const publicShape = {
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: point,
  kid: z.string().regex(kidForm),
};
const publicJwk = z.object(publicShape);
const privateJwk = z.object({ ...publicShape, d: point });
const publicJwks = z.object({ keys: z.array(publicJwk).max(keyLimit) });

/** A public key of a list (RFC 7517 §5), reduced to the required members. */
export type PublicJwk = z.output<typeof publicJwk>;

/** Makes a key for a part. Its id is the beginning of its thumbprint (RFC 7638), behind the part's name. */
export function newServiceKey(part: PartName): NewServiceKey {
  const { d, x } = privateJwk
    .omit({ kid: true })
    .parse(generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }));
  const required = { crv: "Ed25519", kty: "OKP", x } as const;
  const kid = `${part}.${createHash("sha256").update(JSON.stringify(required)).digest("base64url").slice(0, 16)}`;
  const publicKey = { ...required, kid };
  return { kid, privateText: `${JSON.stringify({ ...publicKey, d })}\n`, publicKey };
}

/**
 * Reads the key that a part signs with.
 * @throws ServiceKeyError it is none, or another part's.
 */
export function parseSigningKey(text: string, part: PartName): SigningKey {
  const { success, data: jwk } = privateJwk.safeParse(jsonOf(text));
  if (!success) throw new ServiceKeyError("is no private Ed25519 key of a service (a JSON Web Key)");
  const owner = partOf(jwk.kid);
  if (owner !== part) throw new ServiceKeyError(`is the key of ${String(owner)}, and this is ${part}`);
  return { kid: jwk.kid, part, privateKey: createPrivateKey({ key: jwk, format: "jwk" }) };
}

/** The entry of a key in the list that all parts read. */
export function publicJwkOf({ kid, privateKey }: SigningKey): PublicJwk {
  return publicJwk.parse({ ...createPublicKey(privateKey).export({ format: "jwk" }), kid });
}

/** Reads a list of public keys. @throws ServiceKeyError if the text is no list, or names a key twice. */
export function parseVerifyingKeys(text: string): VerifyingKeys {
  const list = parsePublicJwks(text);
  const keys = new Map<string, VerifyingKey>();
  for (const jwk of list) {
    const part = partOf(jwk.kid);
    if (keys.has(jwk.kid) || part === undefined) throw new ServiceKeyError(`has the key ${jwk.kid} twice`);
    keys.set(jwk.kid, { part, publicKey: createPublicKey({ key: jwk, format: "jwk" }) });
  }
  return keys;
}

/** The keys of a list as they stand there. @throws ServiceKeyError it is none. */
export function parsePublicJwks(text: string): readonly PublicJwk[] {
  const { success, data } = publicJwks.safeParse(jsonOf(text));
  if (success) return data.keys;
  throw new ServiceKeyError(
    `is no list of at most ${String(keyLimit)} public Ed25519 keys (a JSON Web Key Set)`,
  );
}

export function partOf(kid: string): PartName | undefined {
  const name = kidForm.exec(kid)?.groups?.part;
  return partNames.find((part) => part === name);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
