import { sign } from "node:crypto";

import type { DescMethod } from "@bufbuild/protobuf";
import { rejection } from "@hostledger/core";
import { createLru, type Lru } from "@hostledger/runtime";

import { rejectionError } from "../errors/rejection-error.ts";
import { callerRefusedReason, callRefusal } from "./call-permissions.ts";
import { actorOf, callerFrom, type Caller } from "./caller.ts";
import { checkCallerToken, unknownKey, type CheckedToken } from "./caller-token.codec.ts";
import type { SigningKey, VerifyingKey } from "./service-keys.codec.ts";

/** Short-lived signed statements of who is calling, passed from the gateway to the services and between services. */
export interface CallerTokens {
  /**
   * A token for the caller, good at the named services (all unless told otherwise); the same one again for a quarter of its
   * life, while the key stays the same. @throws RangeError for a caller `callerFrom` would not read.
   */
  issue(caller: Caller, audiences?: readonly string[]): string;
  /**
   * Who the token names, where it is good for a call of that method.
   * @throws ConnectError `unauthenticated` or `unauthorized`, with one sentence that says why it is refused.
   */
  identify(token: string, method: DescMethod): Promise<Caller>;
}

/** The services that tokens are made for, as the second word of a contract's name has them: `hosting.account.v1`. */
export const serviceAudiences: readonly string[] = ["account", "domain", "server", "support", "audit"];

/** Which audience a token must name at a service of that full name. */
export function audienceOf(serviceName: string): string {
  return serviceName.split(".")[1] ?? "";
}

/** The clock that a token's life is measured by, in milliseconds since 1970. */
export interface TokenClock {
  epochMilliseconds(): number;
}

/** What a part signs with and checks others by. Both may change while they are used. */
export interface TokenKeys {
  /** The key of this part. */
  signing(): SigningKey;
  /** The key of that id; undefined where there is none, or no longer. */
  verifying(kid: string): VerifyingKey | undefined;
}

interface Issued {
  readonly token: string;
  readonly kid: string;
  readonly reusableUntilMs: number;
}

const cachedCallers = 10_000;
/** The longest life of a token, in seconds, whatever it says of itself. */
const longestLifeSeconds = 120;
/** How far the clock of another machine may be ahead, in seconds. */
const skewSeconds = 60;
/** How long a token is used again at most, in seconds: the rest of its life is for clocks that differ. */
const longestReuseSeconds = 30;

/**
 * Tokens are JSON Web Tokens (RFC 7519) signed with Ed25519: `iss` is the part that signs, `sub` the caller's actor, `aud` the
 * services, `kid` the part's key. Both directions keep what they have computed, so that a busy caller costs a look-up in a map
 * and no cryptography.
 *
 * @param lifetimeSeconds of the tokens that it issues. Whoever checks takes none that lives longer than 120 s.
 */
export function createCallerTokens(
  keys: TokenKeys,
  clock: TokenClock,
  lifetimeSeconds = longestLifeSeconds,
): CallerTokens {
  /** By audiences, which are a few lists that live as long as who calls, and by actor: to name both in a text takes longer. */
  const issued = new WeakMap<readonly string[], Lru<string, Issued>>();
  const checked = createLru<string, CheckedToken>(cachedCallers);
  const reusableMs = Math.min(lifetimeSeconds / 2, longestReuseSeconds) * 1000;

  function issue(caller: Caller, audiences: readonly string[] = serviceAudiences): string {
    const actor = actorOf(caller);
    const key = keys.signing();
    const nowMs = clock.epochMilliseconds();
    const tokens = issued.get(audiences) ?? createLru<string, Issued>(cachedCallers);
    const known = tokens.get(actor);
    if (known?.kid === key.kid && nowMs < known.reusableUntilMs) return known.token;
    if (callerFrom(actor) === undefined) throw new RangeError(`no caller can be ${actor}`);
    const iat = Math.ceil(nowMs / 1000);
    const claims = { iss: key.part, sub: actor, aud: audiences, iat, exp: iat + lifetimeSeconds };
    const token = signed(key, claims);
    tokens.set(actor, { token, kid: key.kid, reusableUntilMs: nowMs + reusableMs });
    issued.set(audiences, tokens);
    return token;
  }

  async function identify(token: string, method: DescMethod): Promise<Caller> {
    // Only what carries a true signature is kept: nobody without a key can push others out of the cache.
    const kept = checked.get(token);
    const known = kept ?? (await checkCallerToken(token, keys));
    if (typeof known === "string") throw refusal(known);
    if (keys.verifying(known.kid) === undefined) throw refusal(unknownKey(known.kid));
    const audience = audienceOf(method.parent.typeName);
    const late = refusalOf(known, audience, clock.epochMilliseconds());
    if (late !== undefined) {
      checked.delete(token);
      throw refusal(late);
    }
    if (kept === undefined) checked.set(token, known);
    const refused = callRefusal(known.part, known.caller, method);
    if (refused !== undefined) throw rejectionError(refused);
    return known.caller;
  }

  return { issue, identify };
}

function signed({ kid, privateKey }: SigningKey, claims: object): string {
  const encoded = [{ alg: "EdDSA", kid }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const body = encoded.join(".");
  return `${body}.${sign(null, Buffer.from(body), privateKey).toString("base64url")}`;
}

function refusal(sentence: string): Error {
  return rejectionError(rejection("unauthenticated", sentence, { reason: callerRefusedReason }));
}

/** Why a token is refused that one of us signed, for whoever looks after both: one sentence. */
function refusalOf(token: CheckedToken, audience: string, nowMs: number): string | undefined {
  const { issuedAtMs, expiresAtMs } = token;
  if (expiresAtMs - issuedAtMs > longestLifeSeconds * 1000)
    return `The caller's token is made for more than ${String(longestLifeSeconds)} seconds.`;
  if (issuedAtMs > nowMs + skewSeconds * 1000)
    return `The caller's token was issued more than ${String(skewSeconds)} seconds in the future: compare the clocks.`;
  if (nowMs >= expiresAtMs) return "The caller's token has expired: make another, and compare the clocks.";
  if (!token.audiences.includes(audience))
    return `The caller's token is good at ${token.audiences.join(", ")} only, and this is ${audience}.`;
  return undefined;
}
