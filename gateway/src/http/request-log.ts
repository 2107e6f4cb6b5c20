import type { Metrics } from "@hostledger/runtime";
import { monotonicMilliseconds } from "@hostledger/runtime";
import type { Request } from "express";

import type { GatewayResponse } from "./exchange.ts";

/** Where the gateway writes its log; a pino logger fits. */
export interface GatewayLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Writes one line for each request and counts it, when the connection has taken the answer or is gone. */
export function createRequestLog(logger: GatewayLogger, metrics: Pick<Metrics, "histogram"> | undefined) {
  const durations = metrics?.histogram("hostledger_http_request_seconds", "Time to answer a REST request.", [
    "method",
    "route",
    "status",
  ]);
  return (request: Request, response: GatewayResponse): void => {
    const { exchange } = response.locals;
    const durationMs = monotonicMilliseconds() - exchange.startedMs;
    const { method } = request;
    const status = response.statusCode;
    durations?.observe({ method, route: exchange.route ?? "unmatched", status }, durationMs / 1_000);

    const fields = {
      requestId: exchange.requestId,
      method,
      path: request.path,
      status,
      durationMs: Math.round(durationMs * 10) / 10,
      ...(exchange.accountId === undefined ? {} : { accountId: exchange.accountId }),
      ...(exchange.isReplayed === true ? { replayed: true } : {}),
      ...(exchange.code === undefined ? {} : { code: exchange.code }),
      ...(response.writableFinished ? {} : { aborted: true }),
    };
    // Reads that succeed are most of the traffic and the least of the news. Writes change something and refusals explain
    // a support call. A bug carries its cause, which no client ever sees.
    if (exchange.code === "internal") logger.error({ ...fields, err: exchange.cause }, "request failed");
    else if (exchange.code !== undefined) logger.info(fields, "request refused");
    else if (method === "GET" || method === "HEAD") logger.debug(fields, "request answered");
    else logger.info(fields, "request answered");
  };
}
