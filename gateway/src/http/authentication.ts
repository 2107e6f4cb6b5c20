import type { IncomingMessage } from "node:http";

import type { Client } from "@connectrpc/connect";
import type { account as messages } from "@hostledger/protocol";
import type { Outgoing } from "@hostledger/rpc";

import type { Customer } from "./caller.ts";
import { createClientAddressOf } from "./client-network.ts";
import { RefusalError } from "./refusal.ts";

/**
 * Finds whose an API key is, and what it is allowed.
 * @throws what the account service threw: `unauthenticated` for a key that opens nothing, `address-not-allowed` for one that is
 * not good where the request comes from.
 */
export type Authenticate = (apiKey: string, request: IncomingMessage, requestId: string) => Promise<Customer>;

/** What authentication needs. */
export interface AuthenticationOptions {
  readonly accounts: Client<typeof messages.AccountService>;
  readonly outgoing: Outgoing;
  /** Time limit of every call to a service. */
  readonly requestTimeoutMs: number;
  /** Networks (CIDR) of the proxies that may name the client in `X-Forwarded-For`; without any nobody may. */
  readonly trustedProxies?: readonly string[];
}

/** The gateway's own identity, under which it asks whose a key is. */
const gateway = { kind: "service", name: "gateway" } as const;

/** Asks the account service on every request, so that a revoked key stops working at once. */
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

// Visible ASCII of a bounded length: anything else is no key of ours, and no service needs to look at it.
const authorizationPattern = /^(?:Bearer +)?([\x21-\x7e]{1,256})$/i;

/**
 * The API key that a request carries.
 * @throws RefusalError 401 where there is none or it cannot be one; 400 for two, of which a proxy may have judged the other.
 */
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

/**
 * The API key that a request of a program carries which knows a name and a password only (RFC 7617): the password is the
 * key, the name may be any.
 * @throws RefusalError 401 where there is none or it cannot be one; 400 for two.
 */
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

/** Characters by which a key is known that does not name its account, as one from before keys did, or a guess. */
const prefixLength = 10;

/** The beginning of a key, by which it may be spoken of: what it says of its account and its number, and no secret. */
export function keyPrefixOf(apiKey: string): string {
  return /^hlk_\d{1,15}_\d{1,15}_/.exec(apiKey)?.[0] ?? apiKey.slice(0, prefixLength);
}
