import type { IncomingMessage, ServerResponse } from "node:http";

import type { Request, Response } from "express";

import { type Ids, monotonicMilliseconds, readTraceparent } from "@hostledger/runtime";

/** What the gateway remembers of one request while it is answered. */
export interface GatewayContext {
  /** The caller's trace id when given, else a new one; in the answer, the logs and every event's metadata. */
  readonly requestId: string;
  /** From the monotonic clock, in milliseconds. */
  readonly startedMs: number;
  /** Names and values of headers that the answer has whatever it says, one after the other. */
  headers: readonly string[];
  /** Path of the operation in OpenAPI's notation; bounded, unlike the path itself, so it can label a metric. */
  route?: string;
  accountId?: number;
  /** True when the answer is that of an earlier request with the same `Idempotency-Key`. */
  isReplayed?: boolean;
  /** Code of the refusal, if it was refused. */
  code?: string;
  /** What went wrong inside; for the log only. */
  cause?: unknown;
}

/** What an answer is written to. */
export type ContextResponse = ServerResponse & { readonly locals: { readonly context: GatewayContext } };

/** An Express response of the gateway. */
export type GatewayResponse = Response<unknown, { context: GatewayContext }>;

/** Opens the exchange of a request. */
export function beginContext(request: Request, ids: Pick<Ids, "requestId">): GatewayContext {
  return { requestId: requestIdOf(request, ids), startedMs: monotonicMilliseconds(), headers: [] };
}

/** The caller's trace id when given (contract, "Conventions"), else a new one. */
export function requestIdOf(
  { headers }: Pick<IncomingMessage, "headers">,
  ids: Pick<Ids, "requestId">,
): string {
  const { traceparent } = headers;
  return (
    readTraceparent(typeof traceparent === "string" ? traceparent : undefined)?.traceId ?? ids.requestId()
  );
}
