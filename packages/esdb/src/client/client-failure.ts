import { EventStoreUnavailableError } from "@hostledger/store";

import { exceptionOf } from "../codec/refusal.codec.ts";

/** Cause of an error, so that callers can distinguish a wrong setting from a failing server. */
export type EventStoreDbReason =
  | "connection-string"
  | "certificate"
  | "unauthorised"
  | "unreachable"
  | "stream-deleted"
  | "refused";

/**
 * EventStoreDB cannot be used. The message is one sentence for the operator, without passwords. A retry helps only
 * for `unreachable`.
 */
export class EventStoreDbError extends Error {
  override readonly name = "EventStoreDbError";
  readonly reason: EventStoreDbReason;

  constructor(reason: EventStoreDbReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Meaning of a failure. `not-ready`: the server accepted nothing and will be ready soon. `unknown-outcome`: an append
 * may be stored. Both are temporary; all others are permanent.
 */
export type ClientFailure =
  | "not-ready"
  | "unknown-outcome"
  | "unauthorised"
  | "certificate"
  | "stream-deleted"
  | "refused";

/**
 * gRPC status codes of a failing connection or server: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED,
 * ABORTED ("Consumer too slow"), INTERNAL (a reset call), UNAVAILABLE, DATA_LOSS. One failing call fails all appends
 * in flight on the shared stream, so the other appends must be repeated.
 */
const passingCodes: ReadonlySet<unknown> = new Set([1, 2, 4, 8, 10, 13, 14, 15]);
/** UNAUTHENTICATED and PERMISSION_DENIED. */
const accessCodes: ReadonlySet<unknown> = new Set([7, 16]);
const notReady = /server is (not ready|busy)|server not ready|no leader/i;
/** TLS errors about certificates, and the errors of a TLS client that calls a clear-text server. */
const certificate =
  /certificate|self.signed|altnames|CERT_|wrong version number|packet length too long|unable to verify|SSL alert|EPROTO/i;

/** Classifies a thrown value; a value that is no error is `refused`. */
export function classifyFailure(failure: unknown): ClientFailure {
  if (!(failure instanceof Error)) return "refused";
  const exception = exceptionOf(failure);
  const code: unknown = Reflect.get(failure, "code");
  if (exception === "access-denied" || accessCodes.has(code)) return "unauthorised";
  if (exception === "stream-deleted") return "stream-deleted";
  if (exception === "not-leader" || notReady.test(failure.message)) return "not-ready";
  if (code === 14 && certificate.test(failure.message)) return "certificate";
  return passingCodes.has(code) ? "unknown-outcome" : "refused";
}

/** Returns true if the same call may succeed later. */
export function isPassing(failure: unknown): boolean {
  const kind = classifyFailure(failure);
  return kind === "not-ready" || kind === "unknown-outcome";
}

/** Returns the port's error for a permanent failure, or for a temporary one that lasted too long. */
export function portError(failure: unknown, what: string): Error {
  if (failure instanceof EventStoreDbError) return failure;
  const text = failure instanceof Error ? failure.message : String(failure);
  const options = { cause: failure };
  switch (classifyFailure(failure)) {
    case "not-ready":
    case "unknown-outcome":
      return new EventStoreUnavailableError(`${what}: EventStoreDB does not answer (${text})`, options);
    case "unauthorised":
      return new EventStoreDbError(
        "unauthorised",
        `${what}: EventStoreDB refuses it to this user; name one who may in the connection string (user:password@), over TLS`,
        options,
      );
    case "certificate":
      return new EventStoreDbError(
        "certificate",
        `${what}: no TLS connection to EventStoreDB (${text}); check tls and tlsCAFile in the connection string`,
        options,
      );
    case "stream-deleted":
      return new EventStoreDbError(
        "stream-deleted",
        `${what}: the stream was deleted for good in EventStoreDB (a tombstone)`,
        options,
      );
    case "refused":
      return new EventStoreDbError("refused", `${what}: EventStoreDB refuses it (${text})`, options);
  }
}
