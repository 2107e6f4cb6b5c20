import type { CallOptions } from "@connectrpc/connect";
import { callHeaders, type AccountCaller, type Outgoing } from "@hostledger/rpc";

import type { GatewayContext } from "./gateway-context.ts";
import type { Caller, HeldScopes } from "./operation.ts";

/** A customer who has shown an API key. */
export type Customer = AccountCaller & { readonly keyId: number; readonly scopes: HeldScopes };

/** An operation under an `Idempotency-Key`. */
export interface NamedOperation {
  readonly operationId: string;
  readonly idempotencyKey: string;
  /** Digest of the request, and this process: what the services claim the key with. */
  readonly fingerprint: string;
  readonly owner: string;
  /** An earlier run of it was interrupted. */
  readonly isResumed: boolean;
}

/** Makes what calls to services carry on behalf of a customer. */
export type CallerOf = (
  customer: Customer,
  context: Pick<GatewayContext, "requestId" | "headers">,
  operation?: NamedOperation,
) => Caller;

/** @param timeoutMs time limit of every call to a service. */
export function createCallerOf(outgoing: Outgoing, timeoutMs: number): CallerOf {
  const callerFor = (behalf: OnBehalf): Caller => ({
    accountId: BigInt(behalf.customer.accountId),
    scopes: behalf.customer.scopes,
    call: new CustomerCall(outgoing, timeoutMs, behalf),
    isResumed: behalf.operation?.isResumed === true,
    basedOn: (ifRevision) => callerFor({ ...behalf, ifRevision }),
  });
  return (customer, context, operation) => callerFor({ customer, context, operation });
}

/** Whose request a call is for. */
interface OnBehalf {
  readonly customer: Customer;
  readonly context: Pick<GatewayContext, "requestId" | "headers">;
  readonly operation: NamedOperation | undefined;
  /** Of a conditional write. */
  readonly ifRevision?: string;
}

/** What calls for one request carry. Its accessor is the class's: one of a literal would be made with each request. */
class CustomerCall implements CallOptions {
  readonly timeoutMs: number;
  readonly #outgoing: Outgoing;
  readonly #behalf: OnBehalf;

  constructor(outgoing: Outgoing, timeoutMs: number, behalf: OnBehalf) {
    this.timeoutMs = timeoutMs;
    this.#outgoing = outgoing;
    this.#behalf = behalf;
  }

  /** Made anew for each call: the pages of a long list are read for longer than a caller's token lives. */
  get headers(): Headers {
    const { customer, context, operation, ifRevision } = this.#behalf;
    const { isResumed: _, ...ids } = operation ?? { isResumed: false };
    return this.#outgoing({ caller: customer, requestId: context.requestId, ...ids, ifRevision });
  }

  onHeader(header: Headers): void {
    passOnStaleness(header, this.#behalf.context);
  }
}

/** What a service says of its read models goes into the answer: `Hostledger-Stale` names those that may be out of date. */
function passOnStaleness(header: Headers, context: Pick<GatewayContext, "headers">): void {
  const stale = header.get(callHeaders.staleReads);
  if (stale === null || context.headers.includes(stale)) return;
  context.headers = [...context.headers, "Hostledger-Stale", stale];
}
