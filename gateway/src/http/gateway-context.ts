import type { IncomingMessage, ServerResponse } from "node:http";

import type { Request, Response } from "express";

import { type Ids, monotonicMilliseconds, readTraceparent } from "@hostledger/runtime";

/** Data of one request while the gateway answers it. */
export interface GatewayContext {
  /** The caller's trace id, or a new id; used in the answer, logs and event metadata. */
  readonly requestId: string;
  /** Start on the monotonic clock, in milliseconds. */
  readonly startedMs: number;
  /** Header names and values of every answer to the request, alternating. */
  headers: readonly string[];
  /** Path of the operation in OpenAPI notation; bounded, so usable as a metric label. */
  route?: string;
  accountId?: number;
  /** True if the answer repeats that of an earlier request with the same `Idempotency-Key`. */
  isReplayed?: boolean;
  /** Code of the refusal; absent if the request succeeded. */
  code?: string;
  /** Internal error, for the log only. */
  cause?: unknown;
}

export type ContextResponse = ServerResponse & { readonly locals: { readonly context: GatewayContext } };

export type GatewayResponse = Response<unknown, { context: GatewayContext }>;

export function beginContext(request: Request, ids: Pick<Ids, "requestId">): GatewayContext {
  return { requestId: requestIdOf(request, ids), startedMs: monotonicMilliseconds(), headers: [] };
}

/** Returns the caller's trace id (contract, "Conventions"), or a new id. */
export function requestIdOf(
  { headers }: Pick<IncomingMessage, "headers">,
  ids: Pick<Ids, "requestId">,
): string {
  const { traceparent } = headers;
  return (
    readTraceparent(typeof traceparent === "string" ? traceparent : undefined)?.traceId ?? ids.requestId()
  );
}
