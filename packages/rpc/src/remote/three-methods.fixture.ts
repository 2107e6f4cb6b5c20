import { createClient, type HandlerContext, type Transport } from "@connectrpc/connect";
import { account, admin } from "@hostledger/protocol";

import { callHeaders } from "../interceptors/headers.ts";
import { openRpcListener, type RpcListener, type RpcListenerOptions } from "../server/rpc-listener.ts";
import { accountAdminService } from "../testing/account-admin.fixture.ts";
import { accountService } from "../testing/account-service.fixture.ts";
import type { ServiceImplementation } from "../transport/implement.ts";

/** A method of each kind: NO_SIDE_EFFECTS, IDEMPOTENT, and one that must not be repeated. */
export const kinds = ["read", "idempotent", "once"] as const;
export type Kind = (typeof kinds)[number];

/** Handler of a call: gets the kind of method and the operation id. */
export type Answering = (
  kind: Kind,
  call: { readonly operationId: string | null; readonly context: HandlerContext },
) => Promise<unknown>;

/** Implements the three methods with one function; its error is the answer. */
export function threeMethods(answer: Answering): readonly ServiceImplementation[] {
  const asked = async (kind: Kind, context: HandlerContext): Promise<object> => {
    await answer(kind, { operationId: context.requestHeader.get(callHeaders.operationId), context });
    return {};
  };
  return [
    accountService({
      getAccount: (_request, context) => asked("read", context),
      chargeBalance: (_request, context) => asked("idempotent", context),
    }),
    accountAdminService({ openAccount: (_request, context) => asked("once", context) }),
  ];
}

/** Options of a call, as in Connect. */
interface Options {
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Calls the methods by their kind. */
export function callerOver(transport: Transport): (kind: Kind, options?: Options) => Promise<unknown> {
  const customers = createClient(account.AccountService, transport);
  const staff = createClient(admin.AccountAdminService, transport);
  return (kind, options) => {
    switch (kind) {
      case "read":
        return customers.getAccount({}, options);
      case "idempotent":
        return customers.chargeBalance({}, options);
      case "once":
        return staff.openAccount({}, options);
    }
  };
}

/** A server of the three methods on this machine. */
export async function serveThreeMethods(
  answer: Answering,
  options: Partial<RpcListenerOptions> = {},
): Promise<RpcListener> {
  const logger = { info: () => undefined, error: () => undefined };
  const listener = await openRpcListener({ host: "127.0.0.1", port: 0, logger, ...options });
  listener.serve({ services: threeMethods(answer), interceptors: [] });
  return listener;
}
