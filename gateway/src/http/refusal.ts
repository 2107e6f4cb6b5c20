import { callerRefusedReason, rejectionOf, rejectionStatus, restCode } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { z } from "zod";

import { euros } from "./view.codec.ts";
import type { Answer } from "./answer.ts";
import { advised, type Rejection } from "./explanation.ts";
import { euroAmount } from "./values.schema.ts";

export type { Rejection } from "./explanation.ts";

/** `Retry-After` in seconds if the refusal names no other number. */
export const defaultRetryAfterSeconds = 1;

const notAsked: Rejection = {
  code: "temporarily-unavailable",
  message: "One part of the service refuses calls of another part at present. The API key is not the cause.",
};

/** Thrown if the gateway refuses a request before any service sees the request. */
export class RefusalError extends Error {
  override readonly name = "RefusalError";
  readonly rejection: Rejection;
  readonly headers: Readonly<Record<string, string>>;

  /** @param headers additional headers of the answer, such as `Allow`. */
  constructor(rejection: Rejection, headers: Readonly<Record<string, string>> = {}) {
    super(rejection.message);
    this.rejection = rejection;
    this.headers = headers;
  }
}

/** Converts an error to an answer; errors other than refusals become an internal error without details. */
export function answerTo(error: unknown): { readonly answer: Answer; readonly rejection: Rejection } {
  const rejection = customersRejectionOf(error);
  const added = error instanceof RefusalError ? error.headers : {};
  const status = rejectionStatus[rejection.code].http;
  const headers = { ...headersOf(status, rejection), ...added };
  return { rejection, answer: { status, body: failureBody(rejection), headers } };
}

/** Returns the customer's rejection. A refusal of the gateway itself is no 401, because the key is not at fault. */
export function customersRejectionOf(error: unknown): Rejection {
  if (error instanceof RefusalError) return error.rejection;
  const found = httpRejection(error) ?? rejectionOf(error);
  return found.detail?.reason === callerRefusedReason ? notAsked : found;
}

/** Returns the body of a failure (contract, "Conventions"). */
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
  // RFC 9110 §11.6.1 requires a challenge with every 401. The API also accepts the registered scheme Bearer.
  if (status === 401) return { "WWW-Authenticate": 'Bearer realm="hostledger"' };
  const mayRetry = status === 429 || status === 503;
  const seconds = detail?.retryAfterSeconds ?? (mayRetry ? defaultRetryAfterSeconds : undefined);
  return defined({ "Retry-After": seconds?.toString() });
}

/** Converts HTTP errors of Express and its body reader, with our own sentences instead of theirs. */
function httpRejection(error: unknown): Rejection | undefined {
  // The router cannot decode a path such as /domains/%E0%A4, so there is no such resource.
  if (error instanceof URIError) return { code: "not-found", message: "There is no such resource." };
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (status === 413) return { code: "payload-too-large", message: "The body is larger than 64 KiB." };
  if (status === 400)
    return { code: "malformed-request", message: "The request ended too early: send it again." };
  return undefined;
}

/** Body of every failure. `code` is listed in `docs/reference/errors.md`. */
export const failure = z
  .object({
    status: z.literal(false),
    error: z.string().min(1).meta({ description: "Sentence that says what is wrong and what to do." }),
    code: z
      .string()
      .regex(/^[a-z][a-z_]*$/)
      .meta({ description: "Stable code of the error catalogue." }),
    errors: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({ description: "Messages by field, with `validation_failed`." }),
    required: euroAmount
      .optional()
      .meta({ description: "Required gross euros, with `insufficient_balance`." }),
    available: euroAmount
      .optional()
      .meta({ description: "Euros on the balance, with `insufficient_balance`." }),
    scope: z.string().optional().meta({ description: "Scope that the API key lacks, with `missing_scope`." }),
    quota: z.string().optional().meta({ description: "Name of the exhausted quota, with `quota_exceeded`." }),
    reason: z.string().optional().meta({ description: "Reason given by staff, with `server_held`." }),
  })
  .meta({ id: "Failure", description: "The body of every failure." });

type FailureBody = z.infer<typeof failure>;
