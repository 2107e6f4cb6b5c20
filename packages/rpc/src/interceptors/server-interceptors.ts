import type { Interceptor } from "@connectrpc/connect";
import type { Tracing } from "@hostledger/runtime";

import type { AuditorCaller } from "../identity/caller.ts";
import type { CallerTokens } from "../identity/caller-token.ts";
import { correlationInterceptor } from "./correlation.interceptor.ts";
import { deadlineInterceptor, type DeadlineLimits } from "./deadline.interceptor.ts";
import { errorMappingInterceptor } from "./error-mapping.interceptor.ts";
import {
  auditorIdentityInterceptor,
  identityInterceptor,
  staffIdentityInterceptor,
} from "./identity.interceptor.ts";
import type { RpcLogger } from "./logger.port.ts";
import { tracingInterceptor } from "./tracing.interceptor.ts";

/** What every listener needs. */
export interface ListenerOptions {
  readonly logger: RpcLogger;
  readonly deadline?: DeadlineLimits;
  /** Where a collector wants to know of every call. */
  readonly tracing?: Tracing;
}

/** The interceptors of a service's listener, outermost first: identity by caller token, ids, time limit, errors. */
export function serverInterceptors(
  options: ListenerOptions & { readonly tokens: CallerTokens },
): Interceptor[] {
  return [identityInterceptor(options.tokens), ...afterIdentity(options)];
}

/** The interceptors of the staff listener. `credential` is the listener's own, `name` what events call its user. */
export function staffInterceptors(
  options: ListenerOptions & { readonly credential: string; readonly name?: string },
): Interceptor[] {
  return [staffIdentityInterceptor(options.credential, options.name ?? "admin"), ...afterIdentity(options)];
}

/** The interceptors of the auditors' listener. `identify` finds the auditor, or throws a ConnectError that says why not. */
export function auditorInterceptors(
  options: ListenerOptions & {
    readonly identify: (authorization: string | undefined) => Promise<AuditorCaller>;
  },
): Interceptor[] {
  return [auditorIdentityInterceptor(options.identify), ...afterIdentity(options)];
}

function afterIdentity({ logger, deadline, tracing }: ListenerOptions): Interceptor[] {
  return [
    correlationInterceptor(),
    ...(tracing === undefined ? [] : [tracingInterceptor(tracing)]),
    deadlineInterceptor(deadline),
    errorMappingInterceptor(logger),
  ];
}
