import type { Tracing } from "@hostledger/runtime";
import type { NextFunction, Request } from "express";

import type { GatewayResponse } from "./gateway-context.ts";

export interface IncomingRequest {
  readonly request: Request;
  readonly response: GatewayResponse;
  readonly next: NextFunction;
}

/** Answers a request within a span that starts a trace or continues the caller's trace. */
export function traceRequest(tracing: Tracing, { request, response, next }: IncomingRequest): void {
  const { context } = response.locals;
  const { method } = request;
  const options = {
    correlationId: context.requestId,
    traceparent: request.get("traceparent"),
    kind: "server" as const,
  };
  void tracing.within(method, options, async (span) => {
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    next();
    await closed;
    const route = context.route ?? "unmatched";
    const status = response.statusCode;
    span.describe(`${method} ${route}`, {
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": status,
    });
    if (status >= 500) span.fail();
  });
}
