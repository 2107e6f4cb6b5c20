import type { Interceptor } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import type { Tracing } from "@hostledger/runtime";

import type { AuditorCaller, ServiceCaller, StaffCaller } from "../identity/caller.ts";
import type { CallerTokens } from "../identity/caller-token.ts";
import { rejectionError } from "../errors/rejection-error.ts";
import { correlationInterceptor, type ClaimOf } from "./correlation.interceptor.ts";
import { deadlineInterceptor, type DeadlineLimits } from "./deadline.interceptor.ts";
import { errorMappingInterceptor } from "./error-mapping.interceptor.ts";
import {
  credentialIdentityInterceptor,
  identityInterceptor,
  staffRolesInterceptor,
  type Identify,
} from "./identity.interceptor.ts";
import { countFailuresInterceptor } from "./failed-authentications.ts";
import type { RpcLogger } from "./logger.port.ts";
import { refuseWritesInterceptor } from "./refuse-writes.interceptor.ts";
import { tracingInterceptor } from "./tracing.interceptor.ts";

/** What every listener needs. */
export interface ListenerOptions {
  readonly logger: RpcLogger;
  readonly deadline?: DeadlineLimits;
  /** Where a collector wants to know of every call. */
  readonly tracing?: Tracing;
  /** True while calls that change something are refused: the event store was put back to an older copy. */
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

/** The interceptors of the staff listener: who it is, and whether the person's role includes the call. */
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

/** The interceptors of a listener that passes calls on to who asks for the credential and its role. */
export function forwardingInterceptors(options: ListenerOptions): Interceptor[] {
  return [credentialIdentityInterceptor(unasked), countFailuresInterceptor(), ...afterIdentity(options)];
}

function personInterceptors({
  identify,
  ...options
}: ListenerOptions & { readonly identify: Identify<AuditorCaller | StaffCaller> }): Interceptor[] {
  return [credentialIdentityInterceptor(identify), staffRolesInterceptor(), ...afterIdentity(options)];
}

/** What could be a credential is for somebody else to judge; a call without one goes nowhere. */
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
    ...(refusesWrites === undefined ? [] : [refuseWritesInterceptor(refusesWrites)]),
    correlationInterceptor(claimOf),
    ...(tracing === undefined ? [] : [tracingInterceptor(tracing)]),
    deadlineInterceptor(deadline),
    errorMappingInterceptor(logger),
  ];
}
