import { createHmac, timingSafeEqual } from "node:crypto";

import { Lru } from "@hostledger/runtime/async";

import { actorOf, callerFrom, type Caller } from "./caller.ts";

/** Short-lived signed statements of who is calling, passed from the gateway to the services and between services. */
export interface CallerTokens {
  /** A token for the caller; the same one again until half its life is over. @throws RangeError for a caller `callerFrom` would not read. */
  issue(caller: Caller): string;
  /** Who the token names; undefined when it is not one of ours, was changed, or has expired. */
  verify(token: string): Caller | undefined;
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
  readonly expiresAtMs: number;
}

const version = "v1";
const tokenPattern = /^v1\.(?<expiry>\d{1,12})\.(?<signature>[A-Za-z0-9_-]{43})\.(?<actor>.{1,128})$/;
const cachedCallers = 10_000;
const minimumSecretBytes = 32;

/**
 * Tokens read `v1.<expiry, seconds since 1970>.<HMAC-SHA256, base64url>.<actor>`. Both directions keep what they have
 * computed, so that a busy caller costs a look-up in a map and no cryptography.
 *
 * @param secret shared by all services, at least 32 bytes. @throws RangeError when it is shorter.
 * @param lifetimeSeconds also bounds how far the clocks of two machines may differ: half of it.
 */
export function createCallerTokens(
  secret: Uint8Array,
  clock: TokenClock,
  lifetimeSeconds = 60,
): CallerTokens {
  if (secret.byteLength < minimumSecretBytes) {
    throw new RangeError(`the secret of caller tokens needs at least ${String(minimumSecretBytes)} bytes`);
  }
  const issued = new Lru<string, Issued>(cachedCallers);
  const verified = new Lru<string, Verified>(cachedCallers);
  const sign = (expiry: string, actor: string): string =>
    createHmac("sha256", secret).update(`${version}.${expiry}.${actor}`).digest("base64url");

  function issue(caller: Caller): string {
    const actor = actorOf(caller);
    const nowMs = clock.epochMilliseconds();
    const known = issued.get(actor);
    if (known !== undefined && nowMs < known.reusableUntilMs) return known.token;
    if (callerFrom(actor) === undefined) throw new RangeError(`no caller can be ${actor}`);
    const expiry = String(Math.ceil(nowMs / 1000) + lifetimeSeconds);
    const token = `${version}.${expiry}.${sign(expiry, actor)}.${actor}`;
    issued.set(actor, { token, reusableUntilMs: nowMs + lifetimeSeconds * 500 });
    return token;
  }

  function verify(token: string): Caller | undefined {
    const nowMs = clock.epochMilliseconds();
    const known = verified.get(token) ?? check(token);
    if (known === undefined) return undefined;
    if (nowMs >= known.expiresAtMs) {
      verified.delete(token);
      return undefined;
    }
    return known.caller;
  }

  /** Only what carries a true signature is kept: nobody without the secret can push others out of the cache. */
  function check(token: string): Verified | undefined {
    const { expiry, signature, actor } = tokenPattern.exec(token)?.groups ?? {};
    if (expiry === undefined || signature === undefined || actor === undefined) return undefined;
    if (!timingSafeEqual(Buffer.from(sign(expiry, actor)), Buffer.from(signature))) return undefined;
    const caller = callerFrom(actor);
    if (caller === undefined) return undefined;
    const entry = { caller, expiresAtMs: Number(expiry) * 1000 };
    verified.set(token, entry);
    return entry;
  }

  return { issue, verify };
}
