import type { IncomingMessage } from "node:http";

import type { Client } from "@connectrpc/connect";
import type { account as messages } from "@hostledger/protocol";
import type { Outgoing } from "@hostledger/rpc";

import type { Customer } from "./caller.ts";
import { createClientAddressOf } from "./client-network.ts";
import { RefusalError } from "./refusal.ts";

/** Finds the customer of an API key. @throws ConnectError `unauthenticated`, or `address-not-allowed` */
export type Authenticate = (apiKey: string, request: IncomingMessage, requestId: string) => Promise<Customer>;

export interface AuthenticationOptions {
  readonly accounts: Client<typeof messages.AccountService>;
  readonly outgoing: Outgoing;
  /** Time limit of every call to a service, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Networks (CIDR) of the proxies whose `X-Forwarded-For` the gateway trusts; none if absent. */
  readonly trustedProxies?: readonly string[];
}

const gateway = { kind: "service", name: "gateway" } as const;

/** Asks the account service on every request, so a revoked key stops working at once. */
export function createAuthentication({
  accounts,
  outgoing,
  requestTimeoutMs,
  trustedProxies = [],
}: AuthenticationOptions): Authenticate {
  const addressOf = createClientAddressOf(trustedProxies);
  return async (apiKey, request, requestId) => {
    const headers = outgoing({ caller: gateway, requestId });
    const shown = { apiKey, clientAddress: addressOf(request) };
    const owner = await accounts.resolveApiKey(shown, { headers, timeoutMs: requestTimeoutMs });
    const { accountId, keyId, scopes } = owner;
    return {
      kind: "account",
      accountId: Number(accountId),
      keyId: Number(keyId),
      scopes: scopes.length === 0 ? null : scopes,
    };
  };
}

// Accepts visible ASCII of bounded length; other texts cannot be keys, so no service is asked.
const authorizationPattern = /^(?:Bearer +)?([\x21-\x7e]{1,256})$/i;

/** Returns a request's API key. @throws RefusalError 401 if missing or malformed, 400 for two headers */
export function apiKeyIn(request: Pick<IncomingMessage, "headersDistinct">): string {
  const header = authorizationOf(request);
  const key = authorizationPattern.exec(header ?? "")?.[1];
  if (key !== undefined) return key;
  const problem = header === undefined ? "is missing" : "is malformed";
  throw new RefusalError({
    code: "unauthenticated",
    message: `The API key ${problem}. Send it as \`Authorization: <API_KEY>\`.`,
  });
}

/** Returns the API key, the password of Basic authentication (RFC 7617). @throws RefusalError 400 or 401 */
export function passwordIn(request: Pick<IncomingMessage, "headersDistinct">): string {
  const encoded = /^Basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i.exec(authorizationOf(request) ?? "")?.[1] ?? "";
  const key = /^[^:]*:([\x21-\x7e]{1,256})$/s.exec(Buffer.from(encoded, "base64").toString("utf8"))?.[1];
  if (key !== undefined) return key;
  throw new RefusalError({
    code: "unauthenticated",
    message: "The API key is missing. Send it as the password of Basic authentication.",
  });
}

function authorizationOf({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">): string | undefined {
  const [header, ...others] = headersDistinct.authorization ?? [];
  if (others.length === 0) return header;
  throw new RefusalError({
    code: "malformed-request",
    message: "The request has more than one Authorization header: send exactly one.",
  });
}

/** Length in characters of the prefix of keys without an account number. */
const prefixLength = 10;

/** Returns the non-secret prefix of a key: account and key number, or the first ten characters. */
export function keyPrefixOf(apiKey: string): string {
  return /^hlk_\d{1,15}_\d{1,15}_/.exec(apiKey)?.[0] ?? apiKey.slice(0, prefixLength);
}
