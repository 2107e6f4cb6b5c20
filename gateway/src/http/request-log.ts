import { defined, type Metrics, monotonicMilliseconds, type Tracing } from "@hostledger/runtime";
import type { NextFunction, Request } from "express";

import type { GatewayResponse } from "./gateway-context.ts";

/** Logger of the gateway; a pino logger fits. */
export interface GatewayLogger {
  /** Returns false if debug lines are discarded, so that none are built. */
  isLevelEnabled?(level: "debug"): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Writes one log line per request and measures its duration, when the response has been sent or the connection closed. */
export function createRequestLog(logger: GatewayLogger, metrics: Pick<Metrics, "histogram"> | undefined) {
  const durations = metrics?.histogram("hostledger_http_request_seconds", "Time to answer a REST request.", [
    "method",
    "route",
    "status",
  ]);
  return (request: Request, response: GatewayResponse): void => {
    const { context } = response.locals;
    const durationMs = monotonicMilliseconds() - context.startedMs;
    const { method } = request;
    const status = response.statusCode;
    durations?.observe({ method, route: context.route ?? "unmatched", status }, durationMs / 1_000);

    const isDebug = context.code === undefined && (method === "GET" || method === "HEAD");
    if (isDebug && logger.isLevelEnabled?.("debug") === false) return;
    const fields = {
      requestId: context.requestId,
      method,
      path: request.path,
      status,
      durationMs: Math.round(durationMs * 10) / 10,
      ...defined({ accountId: context.accountId }),
      ...(context.isReplayed === true ? { replayed: true } : {}),
      ...defined({ code: context.code }),
      ...(response.writableFinished ? {} : { aborted: true }),
    };
    // Successful reads are frequent, so they are logged at debug level. Internal errors are logged with their cause,
    // which clients never see.
    if (context.code === "internal") logger.error({ ...fields, err: context.cause }, "request failed");
    else if (context.code !== undefined) logger.info(fields, "request refused");
    else if (isDebug) logger.debug(fields, "request answered");
    else logger.info(fields, "request answered");
  };
}

interface IncomingRequest {
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
