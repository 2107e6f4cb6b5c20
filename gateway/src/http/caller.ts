import type { AccountCaller, Outgoing } from "@hostledger/rpc";

import type { Caller } from "./operation.ts";

/** A customer who has shown an API key. */
export type Customer = AccountCaller & { readonly keyId: number };

/** An operation under an `Idempotency-Key`. */
export interface NamedOperation {
  readonly operationId: string;
  readonly idempotencyKey: string;
}

/** Makes what calls to services carry on behalf of a customer. */
export type CallerOf = (customer: Customer, requestId: string, operation?: NamedOperation) => Caller;

/** @param timeoutMs time limit of every call to a service. */
export function createCallerOf(outgoing: Outgoing, timeoutMs: number): CallerOf {
  return (customer, requestId, operation) => ({
    accountId: BigInt(customer.accountId),
    call: {
      timeoutMs,
      // Made anew for each call: the pages of a long list are read for longer than a caller's token lives.
      get headers() {
        return outgoing({ caller: customer, requestId, ...operation });
      },
    },
  });
}
