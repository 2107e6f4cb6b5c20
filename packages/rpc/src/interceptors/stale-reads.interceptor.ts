import type { Interceptor } from "@connectrpc/connect";

import { callerKey } from "./call-context.ts";
import { callHeaders } from "./headers.ts";

/**
 * Marks the answers of a service while a read model is behind or has stopped rows, because a marked stale answer is
 * better than an unmarked one or a refusal.
 * @param staleFor returns the read models that may be out of date: for one account, or for a caller that asks about
 * all.
 */
export function staleReadsInterceptor(
  staleFor: (accountId: number | undefined) => readonly string[],
): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    const caller = request.contextValues.get(callerKey);
    const names = staleFor(caller?.kind === "account" ? caller.accountId : undefined);
    if (names.length > 0) response.header.set(callHeaders.staleReads, names.join(", "));
    return response;
  };
}
