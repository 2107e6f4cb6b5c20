import { status } from "@grpc/grpc-js";
import type { ExpectedRevision } from "@hostledger/store";

/** The `exception` in the trailers, by which EventStoreDB's clients distinguish refusals. */
export type RefusalKind =
  | "access-denied"
  | "maximum-append-size-exceeded"
  | "not-leader"
  | "persistent-subscription-does-not-exist"
  | "persistent-subscription-dropped"
  | "persistent-subscription-exists"
  | "persistent-subscription-failed"
  | "maximum-subscribers-reached"
  | "stream-deleted"
  | "timeout"
  | "wrong-expected-version";

/** A refusal in EventStoreDB's terms: a gRPC status, and the fields of known kinds that clients read. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: status;
  readonly kind: RefusalKind | undefined;
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    code: status,
    message: string,
    kind?: RefusalKind,
    fields: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.code = code;
    this.kind = kind;
    this.fields = fields;
  }
}

/** The stream was tombstoned and can never be read or written again. */
export function streamDeleted(stream: string): Refusal {
  return new Refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, "stream-deleted", {
    "stream-name": stream,
  });
}

/** EventStoreDB's answer to a read of no events, or of events after the end of the stream. */
export function unreadable(): Refusal {
  return new Refusal(status.UNKNOWN, "Unexpected ReadStreamResult: Error");
}

/** The caller lacks the permission. */
export function accessDenied(): Refusal {
  return new Refusal(status.PERMISSION_DENIED, "Access Denied", "access-denied");
}

export function appendTooLarge(limitBytes: number): Refusal {
  const limit = String(limitBytes);
  return new Refusal(
    status.INVALID_ARGUMENT,
    `Maximum Append Size of ${limit} Exceeded.`,
    "maximum-append-size-exceeded",
    { "maximum-append-size": limit },
  );
}

/** The stream has another last revision. Expectations other than a revision have EventStoreDB's numbers. */
export function wrongExpectedVersion(
  stream: string,
  expected: ExpectedRevision,
  actual: bigint | "no-stream",
): Refusal {
  return new Refusal(
    status.FAILED_PRECONDITION,
    `Append failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expectedNumber(expected)}`,
    "wrong-expected-version",
    {
      "stream-name": stream,
      "expected-version": expectedNumber(expected),
      ...(actual === "no-stream" ? {} : { "actual-version": String(actual) }),
    },
  );
}

function expectedNumber(expected: ExpectedRevision): string {
  if (expected === "no-stream") return "-1";
  if (expected === "any") return "-2";
  return expected === "stream-exists" ? "-4" : String(expected);
}
