import { EventStoreUnavailableError } from "@hostledger/store";

import { exceptionOf } from "../codec/refusal.codec.ts";

/** What is wrong, for those who have to tell a setting from a server. */
export type EventStoreDbReason =
  | "connection-string"
  | "certificate"
  | "unauthorised"
  | "unreachable"
  | "stream-deleted"
  | "refused";

/**
 * EventStoreDB cannot be used as it was asked to be: its message is one sentence for the operator, without a password.
 * Trying the same again does not help, except for `unreachable`.
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
 * What a failure means. `not-ready`: the server took nothing in and will be ready soon. `unknown-outcome`: an append may
 * be stored. Both pass by themselves; the others do not.
 */
export type ClientFailure =
  | "not-ready"
  | "unknown-outcome"
  | "unauthorised"
  | "certificate"
  | "stream-deleted"
  | "refused";

/**
 * gRPC status codes of a connection or a server in trouble: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED,
 * ABORTED ("Consumer too slow"), INTERNAL (a call that was reset), UNAVAILABLE, DATA_LOSS. One failing call of the
 * shared append stream fails all appends in flight on it, whatever its code, so the innocent ones have to be repeated.
 */
const passingCodes: ReadonlySet<unknown> = new Set([1, 2, 4, 8, 10, 13, 14, 15]);
/** UNAUTHENTICATED and PERMISSION_DENIED. */
const accessCodes: ReadonlySet<unknown> = new Set([7, 16]);
const notReady = /server is (not ready|busy)|server not ready|no leader/i;
/** What TLS says of a certificate, and what a client says that speaks TLS to a server in clear. */
const certificate =
  /certificate|self.signed|altnames|CERT_|wrong version number|packet length too long|unable to verify|SSL alert|EPROTO/i;

/** Classifies whatever was thrown; a value that is no error is `refused`. */
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

/** True when the same call may succeed a little later. */
export function isPassing(failure: unknown): boolean {
  const kind = classifyFailure(failure);
  return kind === "not-ready" || kind === "unknown-outcome";
}

/** The error that users of the port get for a failure that does not pass, or that did not pass in time. */
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
