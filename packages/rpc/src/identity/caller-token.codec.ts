import { compactVerify, decodeProtectedHeader } from "jose";
import { z } from "zod";

import { callerFrom, type Caller } from "./caller.ts";
import { partOf, type PartName, type VerifyingKey } from "./service-keys.codec.ts";

/** A token with a true signature. Whether it is good now, and here, is another question. */
export interface CheckedToken {
  readonly kid: string;
  /** Part whose key signed the token. */
  readonly part: PartName;
  readonly caller: Caller;
  readonly audiences: readonly string[];
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** The longest token, in characters. */
const longestToken = 2_048;

const seconds = z.int().min(0).max(999_999_999_999);
const claimsShape = z.object({
  iss: z.string(),
  sub: z.string().max(128),
  aud: z
    .array(z.string().regex(/^[a-z]{1,32}$/))
    .min(1)
    .max(16),
  iat: seconds,
  exp: seconds,
});

const malformed = "The caller's token is missing or malformed, or its signature is wrong.";

/**
 * Checks a token's form and signature. Only one algorithm is accepted, whatever the token names.
 * @returns a sentence with the reason of a refusal.
 */
export async function checkCallerToken(
  token: string,
  keys: { verifying(kid: string): VerifyingKey | undefined },
): Promise<CheckedToken | string> {
  if (token.length > longestToken || !isCanonical(token.slice(token.lastIndexOf(".") + 1))) return malformed;
  const kid = kidOf(token);
  if (kid === undefined || partOf(kid) === undefined) return malformed;
  const key = keys.verifying(kid);
  if (key === undefined) return unknownKey(kid);
  const claims = await signedClaims(token, key);
  const caller = claims === undefined ? undefined : callerFrom(claims.sub);
  if (claims === undefined || caller === undefined || claims.iss !== key.part) return malformed;
  return {
    kid,
    part: key.part,
    caller,
    audiences: claims.aud,
    issuedAtMs: claims.iat * 1000,
    expiresAtMs: claims.exp * 1000,
  };
}

/** Returns the sentence about a key that the list lacks. */
export function unknownKey(kid: string): string {
  return `The caller's token is signed with the key ${kid}, which is not on the list of public keys: give this part the list anew.`;
}

/** Returns true for the only valid spelling of a signature: the last character of base64url has unused bits. */
function isCanonical(signature: string): boolean {
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

function kidOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}

async function signedClaims(
  token: string,
  { publicKey }: VerifyingKey,
): Promise<z.output<typeof claimsShape> | undefined> {
  try {
    const { payload } = await compactVerify(token, publicKey, { algorithms: ["EdDSA"] });
    return claimsShape.parse(JSON.parse(new TextDecoder().decode(payload)));
  } catch {
    return undefined;
  }
}
