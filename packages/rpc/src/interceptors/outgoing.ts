import { createLru } from "@hostledger/runtime";

import type { Caller } from "../identity/caller.ts";
import { serviceAudiences, type CallerTokens } from "../identity/caller-token.ts";
import { callHeaders } from "./headers.ts";

/** By what a call and what it leads to are known. */
export interface CallIds {
  readonly requestId?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly causationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly operationId?: string | undefined;
  /** What the operation claims its key with: digest of the request, and the process that runs it. */
  readonly fingerprint?: string | undefined;
  readonly owner?: string | undefined;
}

/** What a call says about itself. */
export interface OutgoingCall extends CallIds {
  /** On whose behalf: the customer at the gateway, the service itself between services. */
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
] as const satisfies readonly (keyof CallIds)[];

/** The headers of a call, with the ids in them: within the process nobody need read them out of their texts. */
export class OutgoingHeaders extends Headers {
  #ids: CallIds | undefined;

  constructor(identity: Headers, ids: CallIds) {
    super(identity);
    // Setting one by one takes half the time of the constructor with an object.
    for (const name of callIdNames) {
      const id = ids[name];
      if (id !== undefined) super.set(callHeaders[name], id);
    }
    this.#ids = ids;
  }

  /** Undefined once a header was changed: the texts are what holds. */
  get ids(): CallIds | undefined {
    return this.#ids;
  }

  override set(name: string, value: string): void {
    this.#ids = undefined;
    super.set(name, value);
  }

  override append(name: string, value: string): void {
    this.#ids = undefined;
    super.append(name, value);
  }

  override delete(name: string): void {
    this.#ids = undefined;
    super.delete(name);
  }
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
  return ({ caller, ...ids }) => {
    const token = tokens.issue(caller, at);
    let identity = signed.get(token);
    if (identity === undefined) {
      identity = new Headers({ [callHeaders.caller]: token });
      signed.set(token, identity);
    }
    return new OutgoingHeaders(identity, ids);
  };
}

/** The headers of a call to the staff listener. */
export function staffHeaders(credential: string): Headers {
  return new Headers({ [callHeaders.authorization]: `Bearer ${credential}` });
}
