import type { Metrics } from "@hostledger/runtime";
import { defined, monotonicMilliseconds } from "@hostledger/runtime";
import type { Request } from "express";

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
