import { createLru } from "@hostledger/runtime";

import type { Caller } from "../identity/caller.ts";
import { serviceAudiences, type CallerTokens } from "../identity/caller-token.ts";
import { callHeaders } from "./headers.ts";

/** What a call says about itself. */
export interface OutgoingCall {
  /** On whose behalf: the customer at the gateway, the service itself between services. */
  readonly caller: Caller;
  readonly requestId: string;
  readonly correlationId?: string | undefined;
  readonly causationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly operationId?: string | undefined;
  /** What the operation claims its key with: digest of the request, and the process that runs it. */
  readonly fingerprint?: string | undefined;
  readonly owner?: string | undefined;
}

/** Tokens whose headers are kept: about a megabyte. */
const keptTokens = 1_000;

/** Makes the headers of a call, for Connect's `CallOptions.headers`. */
export type Outgoing = (call: OutgoingCall) => Headers;

/**
 * Makes headers signed with the given tokens. A RequestContext can be passed on as it is, with a caller beside it.
 * @param at the services that are called: the tokens are good nowhere else.
 */
export function createOutgoing(tokens: CallerTokens, at: readonly string[] = serviceAudiences): Outgoing {
  // A token goes with many calls, and the platform looks at each of its characters whenever it is set.
  const signed = createLru<string, Headers>(keptTokens);
  return ({ caller, requestId, correlationId, causationId, idempotencyKey, operationId, ...claimed }) => {
    const token = tokens.issue(caller, at);
    let identity = signed.get(token);
    if (identity === undefined) {
      identity = new Headers({ [callHeaders.caller]: token });
      signed.set(token, identity);
    }
    // Setting one by one takes half the time of the constructor with an object.
    const headers = new Headers(identity);
    headers.set(callHeaders.requestId, requestId);
    if (correlationId !== undefined) headers.set(callHeaders.correlationId, correlationId);
    if (causationId !== undefined) headers.set(callHeaders.causationId, causationId);
    if (idempotencyKey !== undefined) headers.set(callHeaders.idempotencyKey, idempotencyKey);
    if (operationId !== undefined) headers.set(callHeaders.operationId, operationId);
    if (claimed.fingerprint !== undefined) headers.set(callHeaders.fingerprint, claimed.fingerprint);
    if (claimed.owner !== undefined) headers.set(callHeaders.owner, claimed.owner);
    return headers;
  };
}

/** The headers of a call to the staff listener. */
export function staffHeaders(credential: string): Headers {
  return new Headers({ [callHeaders.authorization]: `Bearer ${credential}` });
}
