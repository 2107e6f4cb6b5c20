import type { DescService } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { account } from "@hostledger/protocol";

import type { CallerTokens } from "../identity/caller-token.ts";
import { createOutgoing } from "../interceptors/outgoing.ts";

/** The account service, or what answers for it, called under a service's own name. */
export interface AccountClient<Contract extends DescService = typeof account.AccountService> {
  readonly rpc: Client<Contract>;
  /** Headers and time limit of a call on behalf of a request. */
  callOptions(request: { readonly correlationId: string; readonly requestId?: string }): {
    readonly headers: Headers;
    readonly timeoutMs: number;
  };
}

const timeoutMs = 10_000;

/** Calls the account service. @param service the name of the one that calls, for example `domain`. */
export function createAccountClient<Contract extends DescService>(
  rpc: Client<Contract>,
  callers: CallerTokens,
  service: string,
): AccountClient<Contract> {
  const outgoing = createOutgoing(callers, ["account"]);
  const caller = { kind: "service", name: service } as const;
  return {
    rpc,
    callOptions: ({ correlationId, requestId = correlationId }) => ({
      headers: outgoing({ caller, requestId, correlationId }),
      timeoutMs,
    }),
  };
}
