import { createContextKey, type ContextValues } from "@connectrpc/connect";
import { rejection, type RequestClaim } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import type { AccountCaller, AuditorCaller, Caller, ServiceCaller, StaffCaller } from "../identity/caller.ts";

/** What a call is about, for logs and for the metadata of every event it causes. */
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
  /** Whether the caller named the operation, so that it may have come before: nothing of a new one has begun anywhere. */
  readonly isRepeatable: boolean;
  /** Who called, as `actorOf` writes it. */
  readonly actor: string;
  /** Where the customer gave an `Idempotency-Key`: taken before the first effect. Commands take it by themselves. */
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

/** Who calls. @throws Error where no identity interceptor ran: the service was put together wrongly. */
export function callerOf(context: WithContextValues): Caller {
  return context.values.get(callerKey) ?? missing("identity");
}

/** What the call is about. @throws Error where no correlation interceptor ran: the service was put together wrongly. */
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

/** The calling auditor, or staff, who may read what auditors do. @throws ConnectError `unauthorized` for anyone else. */
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
 * What the first command of a conditional write adds to its context: the revision that its condition was true for. Later
 * commands of the same request go without it, since the first one has moved the stream on.
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
