import { randomUUID } from "node:crypto";

import type { Interceptor } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import { defined } from "@hostledger/runtime";

import { rejectionError } from "../errors/rejection-error.ts";
import { actorOf } from "../identity/caller.ts";
import { callerOf, requestContextKey, type RequestContext } from "./call-context.ts";
import { callHeaders } from "./headers.ts";

/** Ids reach logs and stored events, so they are short and visible ASCII; anything else is refused, never repaired. */
const idPattern = /^[\x21-\x7e]{1,128}$/;
const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** Reads the call's ids, for `requestContextOf`. Runs after an identity interceptor, from which it has the actor. */
export function correlationInterceptor(): Interceptor {
  return (next) => async (request) => {
    const caller = callerOf({ values: request.contextValues });
    request.contextValues.set(requestContextKey, read(request.header, actorOf(caller)));
    return next(request);
  };
}

function read(header: Headers, actor: string): RequestContext {
  const requestId = checked(header, callHeaders.requestId, idPattern) ?? randomUUID();
  const correlationId = checked(header, callHeaders.correlationId, idPattern) ?? requestId;
  const causationId = checked(header, callHeaders.causationId, idPattern);
  const idempotencyKey = checked(header, callHeaders.idempotencyKey, idempotencyKeyPattern);
  return {
    requestId,
    correlationId,
    ...defined({ causationId, idempotencyKey }),
    operationId: checked(header, callHeaders.operationId, idPattern) ?? randomUUID(),
    actor,
  };
}

function checked(header: Headers, name: string, pattern: RegExp): string | undefined {
  const value = header.get(name);
  if (value === null) return undefined;
  if (pattern.test(value)) return value;
  throw rejectionError(
    rejection("malformed-request", `The header ${name} is empty, too long or not visible ASCII.`),
  );
}
