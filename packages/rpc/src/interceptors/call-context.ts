import { createContextKey, type ContextValues } from "@connectrpc/connect";
import { rejection, type RequestClaim } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import type { AccountCaller, AuditorCaller, Caller, ServiceCaller, StaffCaller } from "../identity/caller.ts";

/** Ids and caller of a call, for logs and for the metadata of its events. */
export interface RequestContext {
  /** Id of the outermost request. */
  readonly requestId: string;
  /** Joins everything one intention caused, across services and restarts; the request id unless the caller gave one. */
  readonly correlationId: string;
  /** Id of the event or command that caused this call. */
  readonly causationId?: string;
  /** The customer's `Idempotency-Key`. */
  readonly idempotencyKey?: string;
  /**
   * Names the operation: everything the call writes derives its ids from it. A request that is run again after a crash
   * comes with the same one, and must then repeat no effect. A new one for every call that brings none.
   */
  readonly operationId: string;
  /** The revision that a conditional write is based on, for its first command on the resource's stream. */
  readonly basedOn?: bigint | "repeat";
  /**
   * True if the caller named the operation, so that an earlier copy may exist; a new operation has no earlier
   * effects.
   */
  readonly isRepeatable: boolean;
  /** The caller, as written by `actorOf`. */
  readonly actor: string;
  /** Claim of the customer's `Idempotency-Key`, taken before the first effect. Commands take it automatically. */
  readonly claim?: RequestClaim;
}

/** The part of Connect's HandlerContext that these readers need. */
export interface WithContextValues {
  readonly values: ContextValues;
}

/** Set by the identity interceptor. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** Set by the correlation interceptor. */
export const requestContextKey = createContextKey<RequestContext | undefined>(undefined, {
  description: "request context",
});

/** Returns the caller. @throws Error if no identity interceptor ran, which is a bug in the service's set-up. */
export function callerOf(context: WithContextValues): Caller {
  return context.values.get(callerKey) ?? missing("identity");
}

/**
 * Returns the request context.
 * @throws Error if no correlation interceptor ran, which is a bug in the service's set-up.
 */
export function requestContextOf(context: WithContextValues): RequestContext {
  return context.values.get(requestContextKey) ?? missing("correlation");
}

/** The calling customer. @throws ConnectError `unauthorized` for anyone else. */
export function requireAccount(context: WithContextValues): AccountCaller {
  const caller = callerOf(context);
  return caller.kind === "account" ? caller : unauthorized();
}

/** The calling service. @throws ConnectError `unauthorized` for anyone else. */
export function requireService(context: WithContextValues): ServiceCaller {
  const caller = callerOf(context);
  return caller.kind === "service" ? caller : unauthorized();
}

/** The calling member of staff. @throws ConnectError `unauthorized` for anyone else. */
export function requireStaff(context: WithContextValues): StaffCaller {
  const caller = callerOf(context);
  return caller.kind === "staff" ? caller : unauthorized();
}

/**
 * Returns the calling auditor or member of staff, who may read auditors' uses.
 * @throws ConnectError `unauthorized` for others.
 */
export function requireAuditor(context: WithContextValues): AuditorCaller | StaffCaller {
  const caller = callerOf(context);
  return caller.kind === "auditor" || caller.kind === "staff" ? caller : unauthorized();
}

/**
 * Claims the key of the request, where it has one, before an effect that is no command.
 * @throws ConnectError `request-in-progress`, `idempotency-conflict` where another request has it.
 */
export async function claimRequest({ claim }: Pick<RequestContext, "claim">): Promise<void> {
  const refusal = await claim?.make();
  if (refusal !== undefined) throw rejectionError(refusal);
}

/**
 * Returns the condition of a conditional write's first command: the revision at which the condition was true. Later
 * commands of the request omit it, because the first command advanced the stream.
 */
export function conditionOf({ basedOn }: Pick<RequestContext, "basedOn">): {
  readonly expectedRevision?: bigint | "repeat";
} {
  return basedOn === undefined ? {} : { expectedRevision: basedOn };
}

function unauthorized(): never {
  throw rejectionError(rejection("unauthorized"));
}

function missing(interceptor: string): never {
  throw new Error(`this service runs without the ${interceptor} interceptor`);
}
