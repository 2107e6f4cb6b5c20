import { callerRefusedReason, rejectionOf, rejectionStatus, restCode } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { FailureBody } from "../schemas/failure.schema.ts";
import { euros } from "../views/money.view.ts";
import type { Answer } from "./answer.ts";
import { advised } from "./explanation.ts";
import type { Rejection } from "./rejection.ts";

export type { Rejection } from "./rejection.ts";

/** Seconds a client waits before it tries again, where nobody named a better number. */
const defaultRetryAfterSeconds = 1;

const notAsked: Rejection = {
  code: "temporarily-unavailable",
  message: "A part of the service refuses another one at present: the API key is not what is wrong.",
};

/** Thrown where the gateway itself refuses a request, before any service has seen it. */
export class RefusalError extends Error {
  override readonly name = "RefusalError";
  readonly rejection: Rejection;
  readonly headers: Readonly<Record<string, string>>;

  /** @param headers what the refusal adds to the answer, for example `Allow`. */
  constructor(rejection: Rejection, headers: Readonly<Record<string, string>> = {}) {
    super(rejection.message);
    this.rejection = rejection;
    this.headers = headers;
  }
}

/** Any thrown thing as an answer: a refusal as it is, everything else as an internal error that tells nothing. */
export function answerTo(error: unknown): { readonly answer: Answer; readonly rejection: Rejection } {
  const rejection = customersRejectionOf(error);
  const added = error instanceof RefusalError ? error.headers : {};
  const status = rejectionStatus[rejection.code].http;
  const headers = { ...headersOf(status, rejection), ...added };
  return { rejection, answer: { status, body: failureBody(rejection), headers } };
}

/** What a customer is refused with. That a service refuses the gateway itself says nothing of the customer's key: that stays good. */
export function customersRejectionOf(error: unknown): Rejection {
  if (error instanceof RefusalError) return error.rejection;
  const found = httpRejection(error) ?? rejectionOf(error);
  return found.detail?.reason === callerRefusedReason ? notAsked : found;
}

/** The body of a failure (contract, "Conventions"). */
export function failureBody({ code, message, detail }: Rejection): FailureBody {
  const errors = detail?.fieldErrors;
  return {
    status: false,
    error: advised({ code, message }),
    code: restCode(code),
    ...defined({
      errors: errors && mutableCopy(errors),
      required: inEuros(detail?.requiredCents),
      available: inEuros(detail?.availableCents),
      scope: detail?.scope,
      quota: detail?.quota,
      reason: detail?.reason,
    }),
  };
}

function inEuros(cents: bigint | undefined): number | undefined {
  return cents === undefined ? undefined : euros(cents);
}

function mutableCopy(errors: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(errors).map(([field, messages]) => [field, [...messages]]));
}

function headersOf(status: number, { detail }: Rejection): Record<string, string> {
  // RFC 9110 §11.6.1 asks for a challenge with every 401; Bearer is the registered scheme that the key also travels by.
  if (status === 401) return { "WWW-Authenticate": 'Bearer realm="hostledger"' };
  const mayRetry = status === 429 || status === 503;
  const seconds = detail?.retryAfterSeconds ?? (mayRetry ? defaultRetryAfterSeconds : undefined);
  return defined({ "Retry-After": seconds?.toString() });
}

/**
 * What Express and its body reader throw carries an HTTP status. Their messages speak of their insides, so the
 * client gets ours.
 */
function httpRejection(error: unknown): Rejection | undefined {
  // The router cannot decode a path such as /domains/%E0%A4: there is no such resource.
  if (error instanceof URIError) return { code: "not-found", message: "There is no such resource." };
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (status === 413) return { code: "payload-too-large", message: "The body is larger than 64 KiB." };
  if (status === 400)
    return { code: "malformed-request", message: "The request could not be read to its end: send it again." };
  return undefined;
}
