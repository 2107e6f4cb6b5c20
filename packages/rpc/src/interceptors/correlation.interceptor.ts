import { randomUUID } from "node:crypto";

import type { Interceptor } from "@connectrpc/connect";
import { rejection, type RequestClaim } from "@hostledger/core";
import { defined, randomIds } from "@hostledger/runtime";

import { rejectionError } from "../errors/rejection-error.ts";
import { actorOf, type Caller } from "../identity/caller.ts";
import { callerOf, requestContextKey, type RequestContext } from "./call-context.ts";
import { callHeaders } from "./headers.ts";

/** Ids reach logs and stored events, so they are short and visible ASCII; anything else is refused, never repaired. */
const idPattern = /^[\x21-\x7e]{1,128}$/;
const fingerprintPattern = /^[0-9a-f]{64}$/;
const ownerPattern = /^[\x21-\x7e]{1,200}$/;
const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** An operation under a customer's `Idempotency-Key`. */
export interface KeyedOperation {
  readonly accountId: number;
  readonly key: string;
  /** SHA-256 over method, path and body, in hex. */
  readonly fingerprint: string;
  /** The gateway process that runs it. */
  readonly owner: string;
}

/** Makes the claim of an operation, which is stored when somebody takes it. */
export type ClaimOf = (operation: KeyedOperation, origin: RequestContext) => RequestClaim;

/**
 * Reads the call's ids, for `requestContextOf`. Runs after an identity interceptor, from which it has the actor.
 * @param claimOf where customers' requests come with a key.
 */
export function correlationInterceptor(claimOf?: ClaimOf): Interceptor {
  return (next) => (request) => {
    const caller = callerOf({ values: request.contextValues });
    const context = read(request.header, actorOf(caller));
    const claim = claimIn(request.header, caller, context, claimOf);
    request.contextValues.set(requestContextKey, claim === undefined ? context : { ...context, claim });
    return next(request);
  };
}

function claimIn(
  header: Headers,
  caller: Caller,
  context: RequestContext,
  claimOf: ClaimOf | undefined,
): RequestClaim | undefined {
  const { idempotencyKey: key } = context;
  const fingerprint = checked(header, callHeaders.fingerprint, fingerprintPattern);
  const owner = checked(header, callHeaders.owner, ownerPattern);
  if (key === undefined || fingerprint === undefined || owner === undefined || caller.kind !== "account")
    return undefined;
  const { idempotencyKey: _, ...origin } = context;
  if (claimOf === undefined) throw new Error("this service cannot claim the keys of requests");
  return claimOf({ accountId: caller.accountId, key, fingerprint, owner }, origin);
}

function read(header: Headers, actor: string): RequestContext {
  const requestId = checked(header, callHeaders.requestId, idPattern) ?? randomUUID();
  const correlationId = checked(header, callHeaders.correlationId, idPattern) ?? requestId;
  const causationId = checked(header, callHeaders.causationId, idPattern);
  const idempotencyKey = checked(header, callHeaders.idempotencyKey, idempotencyKeyPattern);
  const operationId = checked(header, callHeaders.operationId, idPattern);
  return {
    requestId,
    correlationId,
    ...defined({ causationId, idempotencyKey }),
    operationId: operationId ?? randomIds.uuid(),
    isRepeatable: operationId !== undefined,
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
