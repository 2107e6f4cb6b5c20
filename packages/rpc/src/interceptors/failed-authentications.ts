import type { IncomingHttpHeaders } from "node:http";

import { createContextKey, type ContextValues, type Interceptor } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";

import { rejectionError, rejectionOf } from "../errors/rejection-error.ts";
import { callHeaders } from "./headers.ts";

/** Origin of a request, by which failures are counted. */
export interface RequestOrigin {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Counts an authentication that failed.
 * @param tokenPrefix beginning of the credential that was shown; undefined where there was none.
 * @returns seconds until the client may fail again, where this one was too many.
 */
export type CountFailure = (origin: RequestOrigin, tokenPrefix?: string) => Promise<number | undefined>;

/** Counts a failure of the call, where its listener limits them. */
export const countFailureKey = createContextKey<
  ((authorization: string | undefined) => Promise<number | undefined>) | undefined
>(undefined, { description: "count of failed authentications" });

/** Characters by which a credential is known that was shown in vain. */
const prefixLength = 10;

/** The beginning of a credential, by which guesses of one are known wherever they come from. */
export function tokenPrefixOf(authorization: string | undefined): string | undefined {
  return authorization?.replace(/^Bearer +/i, "").slice(0, prefixLength);
}

/** Returns the sentence about too many failures. */
export function tooManyFailures(retryAfterSeconds: number): string {
  return `Too many requests had no valid credential. Try again in ${String(retryAfterSeconds)} s.`;
}

/**
 * Counts an error about a wrong credential, and returns the error for the answer.
 * @param values context values of the call.
 */
export async function countedFailure(
  error: unknown,
  values: ContextValues,
  authorization: string | undefined,
): Promise<unknown> {
  if (rejectionOf(error).code !== "unauthenticated") return error;
  const retryAfterSeconds = await values.get(countFailureKey)?.(authorization);
  if (retryAfterSeconds === undefined) return error;
  return rejectionError(rejection("rate-limited", tooManyFailures(retryAfterSeconds), { retryAfterSeconds }));
}

/** Counts wrong credentials that services behind this listener find, in unary calls and streams. */
export function countFailuresInterceptor(): Interceptor {
  return (next) => async (request) => {
    const counted = (error: unknown): Promise<unknown> =>
      countedFailure(
        error,
        request.contextValues,
        request.header.get(callHeaders.authorization) ?? undefined,
      );
    try {
      const response = await next(request);
      return response.stream ? { ...response, message: watched(response.message, counted) } : response;
    } catch (error) {
      throw await counted(error);
    }
  };
}

async function* watched<Message>(
  messages: AsyncIterable<Message>,
  counted: (error: unknown) => Promise<unknown>,
): AsyncIterable<Message> {
  try {
    yield* messages;
  } catch (error) {
    throw await counted(error);
  }
}
