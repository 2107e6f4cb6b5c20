import { randomUUID } from "node:crypto";

import type { Interceptor } from "@connectrpc/connect";
import { rejection, type RequestClaim } from "@hostledger/core";
import { defined, randomIds } from "@hostledger/runtime";
import { onBehalfOf } from "@hostledger/runtime/async";

import { rejectionError } from "../errors/rejection-error.ts";
import { actorOf, ownerOf, type Caller } from "../identity/caller.ts";
import { callerOf, requestContextKey, type RequestContext } from "./call-context.ts";
import { callHeaders } from "./headers.ts";
import { callIdNames, type CallIds } from "./outgoing.ts";

/** Ids reach logs and stored events, so they are short and visible ASCII; anything else is refused, never repaired. */
const idPattern = /^[\x21-\x7e]{1,128}$/;
const patterns: Readonly<Record<keyof CallIds, RegExp>> = {
  requestId: idPattern,
  correlationId: idPattern,
  causationId: idPattern,
  operationId: idPattern,
  idempotencyKey: /^[\x21-\x7e]{1,255}$/,
  fingerprint: /^[0-9a-f]{64}$/,
  owner: /^[\x21-\x7e]{1,200}$/,
  ifRevision: /^(?:-1|\d{1,18}|repeat)$/,
};

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
 * Reads the call's ids, for `requestContextOf`, and makes the call on behalf of its caller. Runs after an identity interceptor,
 * from which it has the caller.
 * @param claimOf where customers' requests come with a key.
 */
export function correlationInterceptor(claimOf?: ClaimOf): Interceptor {
  return (next) => (request) => {
    const caller = callerOf({ values: request.contextValues });
    const ids = idsOf(request.header);
    const context = contextOf(ids, actorOf(caller));
    const claim = claimIn(ids, caller, context, claimOf);
    request.contextValues.set(requestContextKey, claim === undefined ? context : { ...context, claim });
    return onBehalfOf(ownerOf(caller), () => next(request));
  };
}

function claimIn(
  { fingerprint, owner }: CallIds,
  caller: Caller,
  context: RequestContext,
  claimOf: ClaimOf | undefined,
): RequestClaim | undefined {
  const { idempotencyKey: key } = context;
  if (key === undefined || fingerprint === undefined || owner === undefined || caller.kind !== "account")
    return undefined;
  const { idempotencyKey: _, ...origin } = context;
  if (claimOf === undefined) throw new Error("this service cannot claim the keys of requests");
  return claimOf({ accountId: caller.accountId, key, fingerprint, owner }, origin);
}

function contextOf(ids: CallIds, actor: string): RequestContext {
  const {
    requestId = randomUUID(),
    correlationId = requestId,
    causationId,
    idempotencyKey,
    operationId,
    ifRevision,
  } = ids;
  const context = {
    requestId,
    correlationId,
    operationId: operationId ?? randomIds.uuid(),
    isRepeatable: operationId !== undefined,
    actor,
  };
  // Most calls have none of them.
  if (causationId === undefined && idempotencyKey === undefined && ifRevision === undefined) return context;
  return { ...context, ...defined({ causationId, idempotencyKey, basedOn: basisOf(ifRevision) }) };
}

function basisOf(ifRevision: string | undefined): RequestContext["basedOn"] {
  if (ifRevision === undefined || ifRevision === "repeat") return ifRevision;
  return BigInt(ifRevision);
}

/** @throws ConnectError `malformed-request` */
function idsOf(header: Headers): CallIds {
  const ids = idsIn(header);
  for (const name of callIdNames) {
    const id = ids[name];
    if (id !== undefined && !patterns[name].test(id))
      throw rejectionError(
        rejection(
          "malformed-request",
          `The header ${callHeaders[name]} is empty, too long or not visible ASCII.`,
        ),
      );
  }
  return ids;
}

function idsIn(header: Headers): CallIds {
  return Object.fromEntries(callIdNames.map((name) => [name, header.get(callHeaders[name]) ?? undefined]));
}
