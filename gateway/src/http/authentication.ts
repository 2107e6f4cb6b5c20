import type { Client } from "@connectrpc/connect";
import type { account as messages } from "@hostledger/protocol";
import type { Outgoing } from "@hostledger/rpc";

import type { Customer } from "./caller.ts";
import { RefusalError } from "./refusal.ts";

/** Finds who calls from the `Authorization` header. @throws RefusalError 401, or what the account service threw. */
export type Authenticate = (header: string | undefined, requestId: string) => Promise<Customer>;

/** What authentication needs. */
export interface AuthenticationOptions {
  readonly accounts: Client<typeof messages.AccountService>;
  readonly outgoing: Outgoing;
  /** Time limit of every call to a service. */
  readonly requestTimeoutMs: number;
}

/** The gateway's own identity, under which it asks whose a key is. */
const gateway = { kind: "service", name: "gateway" } as const;

/** Asks the account service on every request, so that a revoked key stops working at once. */
export function createAuthentication({
  accounts,
  outgoing,
  requestTimeoutMs,
}: AuthenticationOptions): Authenticate {
  return async (header, requestId) => {
    const apiKey = apiKeyIn(header);
    const headers = outgoing({ caller: gateway, requestId });
    const owner = await accounts.resolveApiKey({ apiKey }, { headers, timeoutMs: requestTimeoutMs });
    return { kind: "account", accountId: Number(owner.accountId), keyId: Number(owner.keyId) };
  };
}

// Visible ASCII of a bounded length: anything else is no key of ours, and no service needs to look at it.
const authorizationPattern = /^(?:Bearer +)?([\x21-\x7e]{1,256})$/i;

function apiKeyIn(header: string | undefined): string {
  const key = authorizationPattern.exec(header ?? "")?.[1];
  if (key !== undefined) return key;
  const problem = header === undefined ? "is missing" : "is malformed";
  throw new RefusalError({
    code: "unauthenticated",
    message: `The API key ${problem}. Send it as \`Authorization: <API_KEY>\`.`,
  });
}
