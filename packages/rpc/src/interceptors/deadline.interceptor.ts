import type { Interceptor, UnaryRequest } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import { openCallScope, type CallScope } from "../transport/call-scope.ts";
import type { AnyCall } from "../transport/invoke-handler.ts";
import { heldTimeoutKey, timeoutOfCall } from "../transport/timeout-header.ts";

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
  return (next) => (request) => {
    if (request.stream) return next(request);
    const heldMs = request.contextValues.get(heldTimeoutKey);
    // The transport ends the call at that moment, with the same error: a second timer would only say so again.
    if (heldMs !== undefined && heldMs <= maximumMs) return next(request);
    const limitMs = Math.min(timeoutOfCall(request) ?? defaultMs, maximumMs);
    return raceIn(openCallScope(request.signal, { limitMs, reason }), next, request);
  };
}

async function raceIn(scope: CallScope, next: AnyCall, request: UnaryRequest): ReturnType<AnyCall> {
  try {
    return await scope.race(next({ ...request, signal: scope.signal }));
  } finally {
    scope.close();
  }
}
