import type { Interceptor } from "@connectrpc/connect";

import { rejectionError } from "../errors/rejection-error.ts";
import type { Caller } from "../identity/caller.ts";
import type { CallerTokens } from "../identity/caller-token.ts";
import { staffRefusal } from "../identity/staff-permissions.ts";
import { callerKey, callerOf } from "./call-context.ts";
import { countedFailure } from "./failed-authentications.ts";
import { callHeaders } from "./headers.ts";

/** Lets a call through only with a valid caller token; the handler finds the caller with `callerOf`. */
export function identityInterceptor(tokens: Pick<CallerTokens, "identify">): Interceptor {
  return (next) => async (request) => {
    const caller = await tokens.identify(request.header.get(callHeaders.caller) ?? "", request.method);
    request.contextValues.set(callerKey, caller);
    return next(request);
  };
}

/**
 * Lets a call through only with the credential of a member of staff, or of an auditor.
 * @param identify finds the caller by the `Authorization` header, or throws a ConnectError that says why it is none.
 */
export function credentialIdentityInterceptor<Found extends Caller>(
  identify: (authorization: string | undefined) => Promise<Found>,
): Interceptor {
  return (next) => async (request) => {
    const authorization = request.header.get(callHeaders.authorization) ?? undefined;
    try {
      request.contextValues.set(callerKey, await identify(authorization));
    } catch (error) {
      throw await countedFailure(error, request.contextValues, authorization);
    }
    return next(request);
  };
}

/** Lets a member of staff through to what the person's role includes, and everybody else through to what handlers allow. */
export function staffRolesInterceptor(): Interceptor {
  return (next) => async (request) => {
    const caller = callerOf({ values: request.contextValues });
    const refusal = caller.kind === "staff" ? staffRefusal(caller, request.method) : undefined;
    if (refusal !== undefined) throw rejectionError(refusal);
    return next(request);
  };
}
