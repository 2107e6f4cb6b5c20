import { createHash, timingSafeEqual } from "node:crypto";

import type { Interceptor } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import type { AuditorCaller, Caller } from "../identity/caller.ts";
import { audienceOf, type CallerTokens } from "../identity/caller-token.ts";
import { callerKey } from "./call-context.ts";
import { callHeaders } from "./headers.ts";

/** Lets a call through only with a valid caller token; the handler finds the caller with `callerOf`. */
export function identityInterceptor(tokens: CallerTokens): Interceptor {
  return (next) => async (request) => {
    const audience = audienceOf(request.service.typeName);
    const caller = tokens.verify(request.header.get(callHeaders.caller) ?? "", audience);
    if (!caller.ok) throw rejectionError(rejection("unauthenticated", caller.error));
    request.contextValues.set(callerKey, caller.value);
    return next(request);
  };
}

/**
 * Lets a call through only with the staff listener's credential, and names its caller `staff:<name>`.
 * @param credential any text that is hard to guess. @throws RangeError when it is shorter than 16 characters.
 */
export function staffIdentityInterceptor(credential: string, name: string): Interceptor {
  if (credential.length < 16) throw new RangeError("the staff credential needs at least 16 characters");
  const expected = digest(`Bearer ${credential}`);
  const staff: Caller = { kind: "staff", name };
  // Digests have one length, so that the comparison tells nothing about the credential, not even its length.
  return identifyBy((header) => {
    const given = digest(header.get(callHeaders.authorization) ?? "");
    return timingSafeEqual(given, expected) ? staff : undefined;
  }, "The staff credential is missing or wrong.");
}

/**
 * Lets a call through only with an auditor's credential.
 * @param identify finds the auditor by the `Authorization` header, or throws a ConnectError that says why it is none.
 */
export function auditorIdentityInterceptor(
  identify: (authorization: string | undefined) => Promise<AuditorCaller>,
): Interceptor {
  return (next) => async (request) => {
    const auditor = await identify(request.header.get(callHeaders.authorization) ?? undefined);
    request.contextValues.set(callerKey, auditor);
    return next(request);
  };
}

function identifyBy(identify: (header: Headers) => Caller | undefined, refusal: string): Interceptor {
  return (next) => async (request) => {
    const caller = identify(request.header);
    if (caller === undefined) throw rejectionError(rejection("unauthenticated", refusal));
    request.contextValues.set(callerKey, caller);
    return next(request);
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
