import { sign } from "node:crypto";

import type { DescMethod } from "@bufbuild/protobuf";
import { rejection } from "@hostledger/core";
import { createLru, type Lru } from "@hostledger/runtime";

import { rejectionError } from "../errors/rejection-error.ts";
import { callerRefusedReason, callRefusal } from "./call-permissions.ts";
import { actorOf, callerFrom, type Caller } from "./caller.ts";
import { checkCallerToken, unknownKey, type CheckedToken } from "./caller-token.codec.ts";
import type { SigningKey, VerifyingKey } from "./service-keys.codec.ts";

/** Short-lived signed statements about the caller, sent by the gateway to services and between services. */
export interface CallerTokens {
  /**
   * Returns a token for the caller that is valid at the named services (default: all). The same token is returned
   * again for a quarter of its lifetime, unless the key changes.
   * @throws RangeError for a caller that `callerFrom` would not accept.
   */
  issue(caller: Caller, audiences?: readonly string[]): string;
  /**
   * Returns the caller in a token that is valid for a call of the method.
   * @throws ConnectError `unauthenticated` or `unauthorized`, with the reason in one sentence.
   */
  identify(token: string, method: DescMethod): Promise<Caller>;
}

/** The services that tokens are made for, as the second word of a contract's name has them: `hosting.account.v1`. */
export const serviceAudiences: readonly string[] = ["account", "domain", "server", "support", "audit"];

export function audienceOf(serviceName: string): string {
  return serviceName.split(".")[1] ?? "";
}

/** The clock that a token's life is measured by, in milliseconds since 1970. */
export interface TokenClock {
  epochMilliseconds(): number;
}

/** Keys for signing and checking. Both may change at run time. */
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
/** Maximum lifetime of a token in seconds, whatever the token says. */
const longestLifeSeconds = 120;
/** Maximum seconds by which another machine's clock may be ahead. */
const skewSeconds = 60;
/** Maximum seconds for which a token is reused; its remaining lifetime covers clock differences. */
const longestReuseSeconds = 30;

/**
 * Creates tokens as JSON Web Tokens (RFC 7519) signed with Ed25519: `iss` is the signing part, `sub` the caller's
 * actor, `aud` the services, `kid` the part's key. Both directions cache results, so a repeated caller costs a map
 * look-up instead of cryptography.
 * @param lifetimeSeconds lifetime of issued tokens. Verifiers accept at most 120 s.
 */
export function createCallerTokens(
  keys: TokenKeys,
  clock: TokenClock,
  lifetimeSeconds = longestLifeSeconds,
): CallerTokens {
  /**
   * Cached by audience list (few lists, which live as long as the caller) and actor, because a combined text key
   * would be slower.
   */
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
    // Only tokens with a valid signature are cached, so that callers without a key cannot evict others.
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

/** Returns why a correctly signed token is refused, as one sentence for operators. */
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
