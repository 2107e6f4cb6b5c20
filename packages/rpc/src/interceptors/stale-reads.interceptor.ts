import type { Interceptor } from "@connectrpc/connect";

import { callHeaders } from "./headers.ts";

/**
 * Marks the answers of a service while one of its read models stands still at an event that it cannot take: what was read
 * may be out of date, and saying so is better than hiding it or refusing to answer.
 *
 * @param parked names the read models that stand still now.
 */
export function staleReadsInterceptor(parked: () => readonly string[]): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    const names = parked();
    if (names.length > 0) response.header.set(callHeaders.staleReads, names.join(", "));
    return response;
  };
}
