import type { Interceptor } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import { openCallScope } from "../transport/call-scope.ts";
import { timeoutOf } from "../transport/timeout-header.ts";

/** Time limits of unary calls, in milliseconds. */
export interface DeadlineLimits {
  /** For a caller that gives none. */
  readonly defaultMs: number;
  /** For a caller that gives a longer one. */
  readonly maximumMs: number;
}

/** What holds where nothing else is said. */
export const defaultDeadlines: DeadlineLimits = { defaultMs: 30_000, maximumMs: 120_000 };

/**
 * Answers every unary call in bounded time: `deadline-exceeded` goes out even when the handler ignores its signal, and
 * the handler's work goes on by itself. Streams live as long as their caller wants.
 */
export function deadlineInterceptor({
  defaultMs,
  maximumMs,
}: DeadlineLimits = defaultDeadlines): Interceptor {
  const reason = (): unknown => rejectionError(rejection("deadline-exceeded"));
  return (next) => async (request) => {
    if (request.stream) return next(request);
    const limitMs = Math.min(timeoutOf(request.header) ?? defaultMs, maximumMs);
    const scope = openCallScope(request.signal, { limitMs, reason });
    try {
      return await scope.race(next({ ...request, signal: scope.signal }));
    } finally {
      scope.close();
    }
  };
}
