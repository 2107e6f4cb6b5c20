import { createHmac, timingSafeEqual } from "node:crypto";

import { parsed, unparsable, type Parsed } from "@hostledger/core";
import { Lru } from "@hostledger/runtime/async";

import { actorOf, callerFrom, type Caller } from "./caller.ts";

/** Short-lived signed statements of who is calling, passed from the gateway to the services and between services. */
export interface CallerTokens {
  /**
   * A token for the caller, good at the named services (all unless told otherwise); the same one again for half its life.
   * @throws RangeError for a caller `callerFrom` would not read.
   */
  issue(caller: Caller, audiences?: readonly string[]): string;
  /** Who the token names, where it is good at that service; otherwise one sentence that says why it is refused. */
  verify(token: string, audience: string): Parsed<Caller>;
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

interface Issued {
  readonly token: string;
  readonly reusableUntilMs: number;
}

interface Verified {
  readonly caller: Caller;
  readonly audiences: readonly string[];
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

const version = "v2";
const tokenPattern =
  /^v2\.(?<claims>(?<issued>\d{1,12})\.(?<expiry>\d{1,12})\.(?<audience>[a-z+]{1,64}))\.(?<signature>[A-Za-z0-9_-]{43})\.(?<actor>.{1,128})$/;
const cachedCallers = 10_000;
const minimumSecretBytes = 32;
/** The longest life of a token, in seconds, whatever it says of itself. */
const longestLifeSeconds = 120;
/** How far the clock of another machine may be ahead, in seconds. */
const skewSeconds = 60;
/** How long a token is used again at most, in seconds: the rest of its life is for clocks that differ. */
const longestReuseSeconds = 30;

/**
 * Tokens read `v2.<issued>.<expiry>.<audiences, joined by +>.<HMAC-SHA256, base64url>.<actor>`, times in seconds since 1970.
 * Both directions keep what they have computed, so that a busy caller costs a look-up in a map and no cryptography.
 *
 * @param secret shared by all services, at least 32 bytes. @throws RangeError when it is shorter.
 * @param lifetimeSeconds of the tokens that it issues. Whoever verifies takes none that lives longer than 120 s.
 */
export function createCallerTokens(
  secret: Uint8Array,
  clock: TokenClock,
  lifetimeSeconds = longestLifeSeconds,
): CallerTokens {
  if (secret.byteLength < minimumSecretBytes) {
    throw new RangeError(`the secret of caller tokens needs at least ${String(minimumSecretBytes)} bytes`);
  }
  const issued = new Lru<string, Issued>(cachedCallers);
  const verified = new Lru<string, Verified>(cachedCallers);
  const reusableMs = Math.min(lifetimeSeconds / 2, longestReuseSeconds) * 1000;
  const sign = (claims: string, actor: string): string =>
    createHmac("sha256", secret).update(`${version}.${claims}.${actor}`).digest("base64url");

  function issue(caller: Caller, at: readonly string[] = serviceAudiences): string {
    const actor = actorOf(caller);
    const audience = at.join("+");
    const nowMs = clock.epochMilliseconds();
    const known = issued.get(`${audience} ${actor}`);
    if (known !== undefined && nowMs < known.reusableUntilMs) return known.token;
    if (callerFrom(actor) === undefined) throw new RangeError(`no caller can be ${actor}`);
    const issuedAt = Math.ceil(nowMs / 1000);
    const claims = `${String(issuedAt)}.${String(issuedAt + lifetimeSeconds)}.${audience}`;
    const token = `${version}.${claims}.${sign(claims, actor)}.${actor}`;
    issued.set(`${audience} ${actor}`, { token, reusableUntilMs: nowMs + reusableMs });
    return token;
  }

  function verify(token: string, audience: string): Parsed<Caller> {
    const known = verified.get(token) ?? check(token);
    if (known === undefined)
      return unparsable("The caller's token is missing or malformed, or its signature is wrong.");
    const refusal = refusalOf(known, audience, clock.epochMilliseconds());
    if (refusal === undefined) return parsed(known.caller);
    verified.delete(token);
    return unparsable(refusal);
  }

  /** Only what carries a true signature is kept: nobody without the secret can push others out of the cache. */
  function check(token: string): Verified | undefined {
    const {
      claims,
      issued: issuedAt,
      expiry,
      audience,
      signature,
      actor,
    } = tokenPattern.exec(token)?.groups ?? {};
    if (claims === undefined || signature === undefined || actor === undefined) return undefined;
    if (!timingSafeEqual(Buffer.from(sign(claims, actor)), Buffer.from(signature))) return undefined;
    const caller = callerFrom(actor);
    if (caller === undefined) return undefined;
    const entry = {
      caller,
      audiences: audience?.split("+") ?? [],
      issuedAtMs: Number(issuedAt) * 1000,
      expiresAtMs: Number(expiry) * 1000,
    };
    verified.set(token, entry);
    return entry;
  }

  return { issue, verify };
}

/** Why a token is refused that one of us signed, for whoever looks after both: one sentence. */
function refusalOf(token: Verified, audience: string, nowMs: number): string | undefined {
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
