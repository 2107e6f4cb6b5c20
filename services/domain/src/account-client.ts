import type { Client } from "@connectrpc/connect";
import type { account } from "@hostledger/protocol";
import { createOutgoing, type CallerTokens } from "@hostledger/rpc";

/** The account service, called under this service's own name. */
export interface AccountClient {
  readonly rpc: Client<typeof account.AccountService>;
  /** Headers and time limit of a call on behalf of a request. */
  callOptions(request: { readonly correlationId: string; readonly requestId?: string }): {
    readonly headers: Headers;
    readonly timeoutMs: number;
  };
}

const timeoutMs = 10_000;

/** Calls the account service as the service `domain`. */
export function accountClient(
  rpc: Client<typeof account.AccountService>,
  callers: CallerTokens,
): AccountClient {
  const outgoing = createOutgoing(callers);
  const caller = { kind: "service", name: "domain" } as const;
  return {
    rpc,
    callOptions: ({ correlationId, requestId = correlationId }) => ({
      headers: outgoing({ caller, requestId, correlationId }),
      timeoutMs,
    }),
  };
}
