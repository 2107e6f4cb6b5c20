import type { Caller } from "../identity/caller.ts";
import { serviceAudiences, type CallerTokens } from "../identity/caller-token.ts";
import { callHeaders } from "./headers.ts";

/** Ids of a call and of the operation that it belongs to. */
export interface CallIds {
  readonly requestId?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly causationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly operationId?: string | undefined;
  /** Digest of the request and its process, by which the operation claims its key. */
  readonly fingerprint?: string | undefined;
  readonly owner?: string | undefined;
  /** The stream's revision that a write is based on, -1 for none; `repeat` where it may only be one that was done before. */
  readonly ifRevision?: string | undefined;
}

export interface OutgoingCall extends CallIds {
  /** The caller to act for: the customer at the gateway, the service itself between services. */
  readonly caller: Caller;
  readonly requestId: string;
}

/** The names of all ids, which are those of their headers in `callHeaders`. */
export const callIdNames = [
  "requestId",
  "correlationId",
  "causationId",
  "idempotencyKey",
  "operationId",
  "fingerprint",
  "owner",
  "ifRevision",
] as const satisfies readonly (keyof CallIds)[];

/** Makes the headers of a call, for Connect's `CallOptions.headers`. */
export type Outgoing = (call: OutgoingCall) => Headers;

/**
 * Creates the signed headers of outgoing calls. A RequestContext with a caller can be passed on unchanged.
 * @param at services at which the tokens are valid.
 */
export function createOutgoing(tokens: CallerTokens, at: readonly string[] = serviceAudiences): Outgoing {
  return (call) => {
    const headers = new Headers({ [callHeaders.caller]: tokens.issue(call.caller, at) });
    for (const name of callIdNames) {
      const id = call[name];
      if (id !== undefined) headers.set(callHeaders[name], id);
    }
    return headers;
  };
}

/** The headers of a call to the staff listener. */
export function staffHeaders(credential: string): Headers {
  return new Headers({ [callHeaders.authorization]: `Bearer ${credential}` });
}
