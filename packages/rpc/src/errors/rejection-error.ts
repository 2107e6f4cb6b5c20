import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { rejection, type Rejection, type RejectionCode, type RejectionDetail } from "@hostledger/core";
import { RejectionSchema, type Rejection as RejectionMessage } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { isRejectionCode, rejectionStatus } from "./rejection-table.ts";

/** Turns a business "no" into the error a handler throws; the rejection travels whole, as the error's detail. */
export function rejectionError(refusal: Rejection): ConnectError {
  const detail = { desc: RejectionSchema, value: messageOf(refusal) };
  return new ConnectError(refusal.message, rejectionStatus[refusal.code].connect, undefined, [detail]);
}

/**
 * Narrows an outcome to the accepted one.
 * @throws ConnectError with the rejection, if the command or the question was refused
 */
export function requireAccepted<Outcome extends { readonly accepted: boolean }>(
  outcome: Outcome | { readonly accepted: false; readonly rejection: Rejection },
): asserts outcome is Extract<Outcome, { readonly accepted: true }> {
  if ("rejection" in outcome) throw rejectionError(outcome.rejection);
}

/**
 * Converts the error of a call, in process or from the network, to a rejection. An error without a rejection is
 * converted by its code. Any other error is a bug here and becomes `internal`, without its text.
 */
export function rejectionOf(error: unknown): Rejection {
  if (!(error instanceof ConnectError)) return rejection("internal");
  for (const message of error.findDetails(RejectionSchema)) {
    const found = refusalOf(message);
    if (found !== undefined) return found;
  }
  return rejection(codeWithoutDetail(error.code));
}

/**
 * `Canceled` and `Aborted` come from a connection that broke while the call ran: its outcome is open, and the advice of
 * `deadline-exceeded` (read before you try again) is the right one. `Unavailable` is a call that was never taken.
 */
function codeWithoutDetail(code: Code): RejectionCode {
  switch (code) {
    case Code.Unavailable:
    case Code.ResourceExhausted:
      return "overloaded";
    case Code.DeadlineExceeded:
    case Code.Canceled:
    case Code.Aborted:
      return "deadline-exceeded";
    case Code.Unauthenticated:
      return "unauthenticated";
    case Code.PermissionDenied:
      return "unauthorized";
    case Code.NotFound:
      return "not-found";
    case Code.InvalidArgument:
    case Code.OutOfRange:
      return "malformed-request";
    case Code.Unknown:
    case Code.AlreadyExists:
    case Code.FailedPrecondition:
    case Code.Unimplemented:
    case Code.Internal:
    case Code.DataLoss:
      return "internal";
  }
}

function messageOf({ code, message, detail }: Rejection): MessageInitShape<typeof RejectionSchema> {
  const { fieldErrors, ...figures } = detail ?? {};
  const fields = Object.entries(fieldErrors ?? {});
  return {
    code,
    message,
    ...figures,
    fieldErrors: fields.map(([field, texts]) => ({ field, messages: [...texts] })),
  };
}

function refusalOf({ code, message, ...fields }: RejectionMessage): Rejection | undefined {
  if (!isRejectionCode(code)) return undefined;
  const detail: RejectionDetail = {
    ...defined({
      requiredCents: fields.requiredCents,
      availableCents: fields.availableCents,
      retryAfterSeconds: fields.retryAfterSeconds,
      scope: fields.scope,
      quota: fields.quota,
      reason: fields.reason,
    }),
    ...(fields.hadNoEffect ? { hadNoEffect: true } : {}),
    ...(fields.fieldErrors.length === 0 ? {} : { fieldErrors: byField(fields.fieldErrors) }),
  };
  return rejection(code, message, Object.keys(detail).length === 0 ? undefined : detail);
}

/** `Object.fromEntries` defines own properties, so that a field named `__proto__` is a field like any other. */
function byField(errors: RejectionMessage["fieldErrors"]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(errors.map(({ field, messages }) => [field, messages]));
}
