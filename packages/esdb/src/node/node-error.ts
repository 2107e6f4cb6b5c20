import { Metadata, status, type ServiceError } from "@grpc/grpc-js";
import {
  EventStoreFailedError,
  EventStoreOverloadedError,
  EventStoreUnavailableError,
  InvalidAppendError,
  type ExpectedRevision,
} from "@hostledger/event-store";

/** What EventStoreDB's clients tell errors apart by: the `exception` of the trailers. */
export type ErrorKind =
  | "access-denied"
  | "maximum-append-size-exceeded"
  | "persistent-subscription-does-not-exist"
  | "persistent-subscription-dropped"
  | "persistent-subscription-exists"
  | "persistent-subscription-failed"
  | "maximum-subscribers-reached"
  | "stream-deleted"
  | "timeout"
  | "wrong-expected-version";

/** A refusal in EventStoreDB's terms: a gRPC status and, for known kinds, the fields its clients read. */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly code: status;
  readonly kind: ErrorKind | undefined;
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    code: status,
    message: string,
    kind?: ErrorKind,
    fields: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.code = code;
    this.kind = kind;
    this.fields = fields;
  }
}

/** The stream was tombstoned: it can be neither read nor written again. */
export function streamDeleted(stream: string): NodeError {
  return new NodeError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, "stream-deleted", {
    "stream-name": stream,
  });
}

/** The caller may not do this. */
export function accessDenied(): NodeError {
  return new NodeError(status.PERMISSION_DENIED, "Access Denied", "access-denied");
}

/** The stream has another last revision. Expectations that are no revision go by EventStoreDB's numbers. */
export function wrongExpectedVersion(
  stream: string,
  expected: ExpectedRevision,
  actual: bigint | "no-stream",
): NodeError {
  return new NodeError(
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

/** Any failure as a NodeError: what the store says in its own words, or "internal error" for a bug. */
export function toNodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  if (error instanceof InvalidAppendError) return new NodeError(status.INVALID_ARGUMENT, error.message);
  if (error instanceof EventStoreOverloadedError) {
    return new NodeError(status.UNAVAILABLE, "Server Is Too Busy");
  }
  if (isStoreGone(error)) return new NodeError(status.UNAVAILABLE, "the event store does not answer");
  return new NodeError(status.INTERNAL, "internal error");
}

/** Whether the store is closed or has failed: callers are to come again later. */
export function isStoreGone(error: unknown): boolean {
  return error instanceof EventStoreUnavailableError || error instanceof EventStoreFailedError;
}

/** Whether the failure is a bug of this node, whose details belong in the log and not in the answer. */
export function isBug(error: unknown): boolean {
  return toNodeError(error).code === status.INTERNAL && !(error instanceof NodeError);
}

/** The error as gRPC sends it. */
export function toServiceError(error: unknown): ServiceError {
  const refusal = toNodeError(error);
  const metadata = new Metadata();
  if (refusal.kind !== undefined && refusal.kind !== "timeout") metadata.set("exception", refusal.kind);
  for (const [name, value] of Object.entries(refusal.fields)) metadata.set(name, headerText(value));
  return Object.assign(new Error(refusal.message), {
    code: refusal.code,
    details: refusal.message,
    metadata,
  });
}

/** A trailer holds printable ASCII only; anything else would make sending the error an error. */
function headerText(value: string): string {
  return /^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value);
}
