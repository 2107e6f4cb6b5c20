import * as oidc from "openid-client";
import { z } from "zod";

import { IdentityError, type IdentityProvider } from "./identity-provider.port.ts";

export interface OpenIdOptions {
  /** https, or http on this machine. */
  readonly issuer: URL;
  readonly clientId: string;
  /** Absent for a public client, which only PKCE protects. */
  readonly clientSecret?: string;
  readonly redirectUri: URL;
  /** The claim with the person's name, for example `preferred_username` or `email`. */
  readonly claim: string;
  /** Time limit of each call to the provider, in milliseconds; default 5,000. */
  readonly timeLimitMs?: number;
}

const defaultTimeLimitMs = 5_000;

/** Largest accepted answer in bytes; key sets and tokens are a hundredth of it. */
const answerBytes = 1_048_576;

/**
 * An OpenID provider with the authorization code flow and PKCE (OpenID Connect Core 1.0 §3.1, RFC 7636). Discovery runs
 * at the first sign-in and again after a failure, so a provider that is down does not prevent a start.
 */
export function openIdProvider(options: OpenIdOptions): IdentityProvider {
  const { redirectUri, claim } = options;
  let discovered: Promise<oidc.Configuration> | undefined;
  const configuration = (): Promise<oidc.Configuration> => {
    discovered ??= discover(options).catch((error: unknown) => {
      discovered = undefined;
      throw new IdentityError("unreachable", messageOf(error), error);
    });
    return discovered;
  };
  return {
    redirectUri,

    async begin() {
      const provider = await configuration();
      const attempt = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri.href,
        scope: "openid profile email",
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: "S256",
      });
      return { url, attempt };
    },

    async finish(search, { state, nonce, codeVerifier }) {
      const provider = await configuration();
      const answer = new URL(redirectUri);
      answer.search = search;
      try {
        const tokens = await oidc.authorizationCodeGrant(provider, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new IdentityError("refused", "there is no ID token");
        if (claims[claim] !== undefined) return nameIn(claims, claim);
        return nameIn(await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub), claim);
      } catch (error) {
        throw identityError(error);
      }
    },
  };
}

async function discover({
  timeLimitMs = defaultTimeLimitMs,
  ...options
}: OpenIdOptions): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = options;
  const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
  return oidc.discovery(issuer, clientId, undefined, authentication, {
    timeout: timeLimitMs / 1000,
    [oidc.customFetch]: fetchBounded,
    execute: [
      // The token's signature is checked, because on loopback no TLS proves its origin.
      oidc.enableNonRepudiationChecks,
      ...(issuer.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

/** @throws IdentityError the claim is missing, or is an unverified address. */
function nameIn(claims: object, claim: string): string {
  const name = z.string().safeParse(Reflect.get(claims, claim));
  if (!name.success) throw new IdentityError("refused", `the claim ${claim} is missing or no text`);
  // At some providers people type in any address, even a colleague's.
  if (claim === "email" && Reflect.get(claims, "email_verified") !== true)
    throw new IdentityError("refused", "the provider has not verified the address (email_verified)");
  return name.data;
}

/** Fetches an answer up to the size limit. */
const fetchBounded: oidc.CustomFetch = async (url, options) => {
  const body = options.body instanceof Uint8Array ? Uint8Array.from(options.body) : (options.body ?? null);
  const response = await fetch(url, { ...options, body });
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > answerBytes) controller.error(new Error("the answer is too large"));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body?.pipeThrough(bounded) ?? null, { status, statusText, headers });
};

/** Converts the library's errors: an error in a provider's answer means refused, any other means unreachable. */
function identityError(error: unknown): IdentityError {
  if (error instanceof IdentityError) return error;
  const isAnswer =
    error instanceof oidc.ResponseBodyError ||
    error instanceof oidc.AuthorizationResponseError ||
    error instanceof oidc.WWWAuthenticateChallengeError ||
    (error instanceof oidc.ClientError && error.code !== "OAUTH_TIMEOUT");
  return new IdentityError(isAnswer ? "refused" : "unreachable", messageOf(error), error);
}

/** Returns the cause's message too, because the library's own message only names the kind of error. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
