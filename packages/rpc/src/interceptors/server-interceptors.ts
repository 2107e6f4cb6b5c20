import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import type { Tracing } from "@hostledger/runtime";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { admin, audit } from "@hostledger/protocol";

import type { AuditorCaller, ServiceCaller, StaffCaller } from "../identity/caller.ts";
import type { CallerTokens } from "../identity/caller-token.ts";
import { rejectionError } from "../errors/rejection-error.ts";
import { type ClaimOf, correlationInterceptor } from "./correlation.interceptor.ts";
import { errorMappingInterceptor } from "./error-mapping.interceptor.ts";
import {
  credentialGate,
  credentialIdentityInterceptor,
  type Identify,
  identityInterceptor,
  staffRolesInterceptor,
} from "./identity.interceptor.ts";
import { countFailuresInterceptor } from "./failed-authentications.ts";
import type { RpcLogger } from "./logger.port.ts";
import { requestContextOf, requireStaff } from "./call-context.ts";
import { callHeaders } from "./headers.ts";
import { openCallScope } from "../transport/call-scope.ts";
import { timeoutOf } from "../transport/timeout-header.ts";

export interface ListenerOptions {
  readonly logger: RpcLogger;
  readonly deadline?: DeadlineLimits;
  /** Tracing of every call, if a collector is configured. */
  readonly tracing?: Tracing;
  /** True while calls that change something are refused: the event store was restored from an older backup. */
  readonly refusesWrites?: () => boolean;
}

/** The interceptors of a service's listener, outermost first: identity by caller token, ids, time limit, errors. */
export function serverInterceptors(
  options: ListenerOptions & {
    readonly tokens: Pick<CallerTokens, "identify">;
    /** Finds internal teams by their credentials, where those are let in. */
    readonly teams?: Identify<ServiceCaller>;
    /** Claims customers' keys, where their requests come with one. */
    readonly claimOf?: ClaimOf;
  },
): Interceptor[] {
  return [identityInterceptor(options.tokens, options.teams), ...afterIdentity(options, options.claimOf)];
}

/** Returns the interceptors of the staff listener: identity and role. */
export function staffInterceptors(
  options: ListenerOptions & { readonly identify: Identify<StaffCaller> },
): Interceptor[] {
  return personInterceptors(options);
}

/** The interceptors of the auditors' listener, where staff are let in as well. */
export function auditorInterceptors(
  options: ListenerOptions & { readonly identify: Identify<AuditorCaller | StaffCaller> },
): Interceptor[] {
  return personInterceptors(options);
}

/** Returns the interceptors of a listener whose target checks the credential and its role. */
export function forwardingInterceptors(options: ListenerOptions): Interceptor[] {
  return [credentialIdentityInterceptor(unasked), countFailuresInterceptor(), ...afterIdentity(options)];
}

function personInterceptors({
  identify,
  ...options
}: ListenerOptions & { readonly identify: Identify<AuditorCaller | StaffCaller> }): Interceptor[] {
  return [credentialIdentityInterceptor(identify), staffRolesInterceptor(), ...afterIdentity(options)];
}

/** Refuses calls without a credential before their bodies are read, for a listener that passes calls on. */
export const forwardingGate = credentialGate(unasked);

/** Passes every possible credential on; a call without one is refused here. */
function unasked(authorization: string | undefined): Promise<StaffCaller> {
  if (authorization !== undefined && /^Bearer [\x21-\x7e]{1,512}$/.test(authorization))
    return Promise.resolve({ kind: "staff", name: "forwarded" });
  const sentence =
    "The staff credential is missing or wrong: put your staff token into HOSTLEDGER_ADMIN_TOKEN.";
  throw rejectionError(rejection("unauthenticated", sentence));
}

function afterIdentity(
  { logger, deadline, tracing, refusesWrites }: ListenerOptions,
  claimOf?: ClaimOf,
): Interceptor[] {
  return [
    staffServicesInterceptor(),
    ...(refusesWrites === undefined ? [] : [refuseWritesInterceptor(refusesWrites)]),
    correlationInterceptor(claimOf),
    ...(tracing === undefined ? [] : [tracingInterceptor(tracing)]),
    deadlineInterceptor(deadline),
    errorMappingInterceptor(logger),
  ];
}

/** Refuses a caller that is not staff at every service for staff, so their handlers need no check. */
function staffServicesInterceptor(): Interceptor {
  return (next) => (request) => {
    if (request.service.file === admin.file_hosting_admin_v1_admin)
      requireStaff({ values: request.contextValues });
    return next(request);
  };
}

/** Wait of a refused caller, in seconds: a person has to act first. */
const retryAfterSeconds = 60;

/** Staff mend the state by these, and auditors change nothing of customers. */
const alwaysAnswered: ReadonlySet<string> = new Set([
  admin.ClockAdminService.typeName,
  admin.ProjectionAdminService.typeName,
  admin.StoreAdminService.typeName,
  audit.AuditService.typeName,
]);

/**
 * Refuses calls that change something before any of their effects, a provider's among them.
 * @param isRefusing true while the event store is an older backup that staff have not accepted.
 */
function refuseWritesInterceptor(isRefusing: () => boolean): Interceptor {
  return (next) => (request) => {
    const isRead = request.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    if (!isRead && !alwaysAnswered.has(request.service.typeName) && isRefusing())
      throw rejectionError(rejection("store-rewound", undefined, { retryAfterSeconds }));
    return next(request);
  };
}

/** The codes that speak of the server; all others are answers like any other. */
const faults: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** Traces every call, in the trace of its request. Runs after the correlation interceptor. */
function tracingInterceptor(tracing: Tracing): Interceptor {
  return (next) => async (request) => {
    const { correlationId } = requestContextOf({ values: request.contextValues });
    const name = `${request.service.typeName}/${request.method.name}`;
    const traceparent = request.header.get(callHeaders.traceparent) ?? undefined;
    const attributes = { "rpc.system": "connect_rpc", "rpc.method": name };
    const options = { correlationId, traceparent, kind: "server" as const, attributes };
    const outcome = await tracing.within(name, options, async (span) => {
      try {
        return { answer: await next(request) };
      } catch (error) {
        const code = error instanceof ConnectError ? error.code : Code.Internal;
        span.describe(name, { "rpc.connect_rpc.error_code": Code[code] });
        if (faults.has(code)) span.fail();
        return { error };
      }
    });
    if ("error" in outcome) throw outcome.error;
    return outcome.answer;
  };
}

/** Time limits of unary calls, in milliseconds. */
export interface DeadlineLimits {
  /** For a caller that gives none. */
  readonly defaultMs: number;
  /** For a caller that gives a longer one. */
  readonly maximumMs: number;
}

/** Default limits. */
export const defaultDeadlines: DeadlineLimits = { defaultMs: 30_000, maximumMs: 120_000 };

/**
 * Answers every unary call within its deadline: `deadline-exceeded` is sent even if the handler ignores its signal
 * and continues. Streams last as long as their caller wants.
 */
export function deadlineInterceptor({
  defaultMs,
  maximumMs,
}: DeadlineLimits = defaultDeadlines): Interceptor {
  const reason = (): unknown => rejectionError(rejection("deadline-exceeded"));
  return (next) => async (request) => {
    if (request.stream) return next(request);
    const limitMs = Math.min(timeoutOf(request.header) ?? defaultMs, maximumMs);
    const scope = openCallScope(request.signal, { limitMs, reason });
    try {
      return await scope.race(next({ ...request, signal: scope.signal }));
    } finally {
      scope.close();
    }
  };
}
