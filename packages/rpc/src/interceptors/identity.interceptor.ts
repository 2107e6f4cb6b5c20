import type { ContextValues, Interceptor } from "@connectrpc/connect";

import { rejectionError } from "../errors/rejection-error.ts";
import { teamRefusal } from "../identity/call-permissions.ts";
import type { Caller, ServiceCaller } from "../identity/caller.ts";
import type { CallerTokens } from "../identity/caller-token.ts";
import { staffRefusal } from "../identity/staff-permissions.ts";
import type { RequestGate } from "../transport/implement.ts";
import { callerKey, callerOf } from "./call-context.ts";
import { countedFailure } from "./failed-authentications.ts";
import { callHeaders } from "./headers.ts";

/**
 * Admits only calls with a valid caller token, or with a team's credential if `teams` is given; handlers get the
 * caller from `callerOf`.
 */
export function identityInterceptor(
  tokens: Pick<CallerTokens, "identify">,
  teams?: Identify<ServiceCaller>,
): Interceptor {
  return (next) => async (request) => {
    const token = request.header.get(callHeaders.caller);
    const credential = token === null ? request.header.get(callHeaders.authorization) : null;
    if (credential !== null && teams !== undefined) {
      const team = await identified(teams, credential, request.contextValues);
      const refusal = teamRefusal(team.scopes ?? [], request.method);
      if (refusal !== undefined) throw rejectionError(refusal);
      request.contextValues.set(callerKey, team);
    } else {
      request.contextValues.set(callerKey, await tokens.identify(token ?? "", request.method));
    }
    // Awaited here: a promise that is returned is waited for three turns of the microtasks, and by one promise more.
    return await next(request);
  };
}

/** Finds the sender of an `Authorization` header, or throws a ConnectError with the reason. */
export type Identify<Found extends Caller> = (authorization: string | undefined) => Promise<Found>;

/**
 * Admits only calls with the credential of a member of staff or an auditor.
 * @param identify finds the caller by the `Authorization` header, or throws a ConnectError with the reason.
 */
export function credentialIdentityInterceptor<Found extends Caller>(identify: Identify<Found>): Interceptor {
  return (next) => async (request) => {
    const authorization = request.header.get(callHeaders.authorization) ?? undefined;
    request.contextValues.set(callerKey, await identified(identify, authorization, request.contextValues));
    return next(request);
  };
}

/**
 * Checks the credential of a member of staff, and the person's role, before any of the request is read. Interceptors check both again.
 * @param identify as of `credentialIdentityInterceptor`.
 */
export function credentialGate<Found extends Caller>(identify: Identify<Found>): RequestGate {
  return async ({ method, requestHeader, values }) => {
    const authorization = requestHeader.get(callHeaders.authorization) ?? undefined;
    const caller = await identified(identify, authorization, values);
    const refusal = caller.kind === "staff" ? staffRefusal(caller, method) : undefined;
    if (refusal !== undefined) throw rejectionError(refusal);
  };
}

/** Identifies the caller. A wrong credential is counted if the listener limits guesses. */
async function identified<Found extends Caller>(
  identify: Identify<Found>,
  authorization: string | undefined,
  values: ContextValues,
): Promise<Found> {
  try {
    return await identify(authorization);
  } catch (error) {
    throw await countedFailure(error, values, authorization);
  }
}

/** Admits staff to the methods of their role; other callers are checked by the handlers. */
export function staffRolesInterceptor(): Interceptor {
  return (next) => async (request) => {
    const caller = callerOf({ values: request.contextValues });
    const refusal = caller.kind === "staff" ? staffRefusal(caller, request.method) : undefined;
    if (refusal !== undefined) throw rejectionError(refusal);
    return next(request);
  };
}
