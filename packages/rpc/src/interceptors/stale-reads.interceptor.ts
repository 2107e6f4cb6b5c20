import type { Interceptor } from "@connectrpc/connect";

import { callerKey } from "./call-context.ts";
import { callHeaders } from "./headers.ts";

/**
 * Marks the answers of a service while one of its read models is behind, or rows in it stand still before an event that cannot be
 * read: what was read may be out of date, and saying so is better than hiding it or refusing to answer.
 *
 * @param staleFor names the read models that may be out of date now: for one account, or for whoever asks about all of them.
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
