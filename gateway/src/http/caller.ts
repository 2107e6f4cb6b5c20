import type { CallOptions } from "@connectrpc/connect";
import { callHeaders, type AccountCaller, type Outgoing } from "@hostledger/rpc";

import type { GatewayContext } from "./gateway-context.ts";
import type { Caller, HeldScopes, OperationServices } from "./operation.ts";

/** A customer authenticated by an API key. */
export type Customer = AccountCaller & { readonly keyId: number; readonly scopes: HeldScopes };

/** An operation with an `Idempotency-Key`. */
export interface NamedOperation {
  readonly operationId: string;
  readonly idempotencyKey: string;
  /** Digest of the request. Services claim the key with `fingerprint` and `owner`. */
  readonly fingerprint: string;
  readonly owner: string;
  /** True if an earlier run of the operation was interrupted. */
  readonly isResumed: boolean;
}

/** Creates the caller of a request; every call to a service is made on its behalf. */
export type CallerOf = (
  customer: Customer,
  context: Pick<GatewayContext, "requestId" | "headers">,
  operation?: NamedOperation,
) => Caller;

/** @param timeoutMs time limit of every call to a service. */
export function createCallerOf(outgoing: Outgoing, timeoutMs: number, services: OperationServices): CallerOf {
  const callerFor = (behalf: OnBehalf): Caller => ({
    ...services,
    accountId: BigInt(behalf.customer.accountId),
    scopes: behalf.customer.scopes,
    call: new CustomerCall(outgoing, timeoutMs, behalf),
    isResumed: behalf.operation?.isResumed === true,
    basedOn: (ifRevision) => callerFor({ ...behalf, ifRevision }),
  });
  return (customer, context, operation) => callerFor({ customer, context, operation });
}

interface OnBehalf {
  readonly customer: Customer;
  readonly context: Pick<GatewayContext, "requestId" | "headers">;
  readonly operation: NamedOperation | undefined;
  /** Revision expected by a conditional write. */
  readonly ifRevision?: string;
}

/** Options of calls for one request. A class, because an object literal would create its getter per request. */
class CustomerCall implements CallOptions {
  readonly timeoutMs: number;
  readonly #outgoing: Outgoing;
  readonly #behalf: OnBehalf;

  constructor(outgoing: Outgoing, timeoutMs: number, behalf: OnBehalf) {
    this.timeoutMs = timeoutMs;
    this.#outgoing = outgoing;
    this.#behalf = behalf;
  }

  /** Issues a new token for each call, because reading a long list can outlast a token. */
  get headers(): Headers {
    const { customer, context, operation, ifRevision } = this.#behalf;
    const { isResumed: _, ...ids } = operation ?? { isResumed: false };
    return this.#outgoing({ caller: customer, requestId: context.requestId, ...ids, ifRevision });
  }

  onHeader(header: Headers): void {
    passOnStaleness(header, this.#behalf.context);
  }
}

/** Copies the names of read models that may be out of date into the answer's `Hostledger-Stale` header. */
function passOnStaleness(header: Headers, context: Pick<GatewayContext, "headers">): void {
  const stale = header.get(callHeaders.staleReads);
  if (stale === null || context.headers.includes(stale)) return;
  context.headers = [...context.headers, "Hostledger-Stale", stale];
}
