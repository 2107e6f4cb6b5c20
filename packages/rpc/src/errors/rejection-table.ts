import { rejectionCatalogue, type RejectionCode } from "@hostledger/core";
import { Code } from "@connectrpc/connect";

/** Codes of a rejection outside the system: its code over Connect and gRPC, and its status over REST. */
export interface RejectionStatus {
  readonly connect: Code;
  readonly http: number;
}

/**
 * The one table from core's catalogue to the outside; it does not compile while a code is missing.
 *
 * What is in flight is `Aborted`, gRPC's word for "another one is at it, try again later". A registrar that
 * failed is `Unknown` rather than `Unavailable`, because gRPC clients may repeat an unavailable call by themselves.
 */
export const rejectionStatus: Readonly<Record<RejectionCode, RejectionStatus>> = {
  "validation-failed": { connect: Code.InvalidArgument, http: 422 },
  "malformed-request": { connect: Code.InvalidArgument, http: 400 },
  "unsupported-media-type": { connect: Code.InvalidArgument, http: 415 },
  "payload-too-large": { connect: Code.ResourceExhausted, http: 413 },
  "expectation-failed": { connect: Code.InvalidArgument, http: 417 },
  "precondition-failed": { connect: Code.FailedPrecondition, http: 412 },
  "not-found": { connect: Code.NotFound, http: 404 },
  "method-not-allowed": { connect: Code.Unimplemented, http: 405 },
  unauthenticated: { connect: Code.Unauthenticated, http: 401 },
  unauthorized: { connect: Code.PermissionDenied, http: 403 },
  "missing-scope": { connect: Code.PermissionDenied, http: 403 },
  "address-not-allowed": { connect: Code.PermissionDenied, http: 403 },
  "approval-required": { connect: Code.FailedPrecondition, http: 403 },
  "account-not-open": { connect: Code.FailedPrecondition, http: 403 },
  "account-already-open": { connect: Code.AlreadyExists, http: 409 },
  "profile-incomplete": { connect: Code.FailedPrecondition, http: 422 },
  "insufficient-balance": { connect: Code.FailedPrecondition, http: 400 },
  "payment-refused": { connect: Code.FailedPrecondition, http: 422 },
  "payment-unavailable": { connect: Code.Unavailable, http: 502 },
  "charge-conflict": { connect: Code.AlreadyExists, http: 409 },
  "reference-conflict": { connect: Code.AlreadyExists, http: 409 },
  "charge-not-found": { connect: Code.NotFound, http: 404 },
  "api-key-not-found": { connect: Code.NotFound, http: 404 },
  "too-many-api-keys": { connect: Code.FailedPrecondition, http: 422 },
  "too-many-webhooks": { connect: Code.FailedPrecondition, http: 422 },
  "url-not-allowed": { connect: Code.InvalidArgument, http: 422 },
  "unsupported-extension": { connect: Code.InvalidArgument, http: 422 },
  "domain-taken": { connect: Code.AlreadyExists, http: 422 },
  "domain-not-available": { connect: Code.FailedPrecondition, http: 422 },
  "premium-name": { connect: Code.FailedPrecondition, http: 422 },
  "not-transferable": { connect: Code.FailedPrecondition, http: 422 },
  "invalid-auth-code": { connect: Code.FailedPrecondition, http: 422 },
  "registration-in-flight": { connect: Code.Aborted, http: 409 },
  "registration-not-found": { connect: Code.NotFound, http: 404 },
  "registrar-failed": { connect: Code.Unknown, http: 500 },
  "registrar-unavailable": { connect: Code.Unavailable, http: 502 },
  "registrar-refused": { connect: Code.FailedPrecondition, http: 502 },
  "change-in-flight": { connect: Code.Aborted, http: 409 },
  "renewal-in-flight": { connect: Code.Aborted, http: 409 },
  "domain-not-active": { connect: Code.FailedPrecondition, http: 409 },
  "not-restorable": { connect: Code.FailedPrecondition, http: 409 },
  "domain-not-renewable": { connect: Code.FailedPrecondition, http: 409 },
  "custom-nameservers": { connect: Code.FailedPrecondition, http: 409 },
  "zone-not-ready": { connect: Code.FailedPrecondition, http: 409 },
  "protected-record": { connect: Code.InvalidArgument, http: 422 },
  "dns-unavailable": { connect: Code.Unavailable, http: 502 },
  "out-of-stock": { connect: Code.FailedPrecondition, http: 409 },
  "plan-not-found": { connect: Code.InvalidArgument, http: 422 },
  "region-not-found": { connect: Code.InvalidArgument, http: 422 },
  "server-not-active": { connect: Code.FailedPrecondition, http: 409 },
  "server-held": { connect: Code.FailedPrecondition, http: 409 },
  "firewall-locked": { connect: Code.PermissionDenied, http: 403 },
  "protected-port": { connect: Code.PermissionDenied, http: 403 },
  "firewall-changed": { connect: Code.Aborted, http: 409 },
  "order-not-found": { connect: Code.NotFound, http: 404 },
  "order-completed": { connect: Code.AlreadyExists, http: 409 },
  "compute-failed": { connect: Code.Unknown, http: 500 },
  "compute-unavailable": { connect: Code.Unavailable, http: 502 },
  "ticket-closed": { connect: Code.FailedPrecondition, http: 409 },
  "idempotency-conflict": { connect: Code.InvalidArgument, http: 422 },
  "request-in-progress": { connect: Code.Aborted, http: 409 },
  "run-not-found": { connect: Code.NotFound, http: 404 },
  "run-not-parked": { connect: Code.FailedPrecondition, http: 409 },
  "projection-not-found": { connect: Code.NotFound, http: 404 },
  "rate-limited": { connect: Code.ResourceExhausted, http: 429 },
  "quota-exceeded": { connect: Code.ResourceExhausted, http: 429 },
  overloaded: { connect: Code.Unavailable, http: 503 },
  "store-rewound": { connect: Code.Unavailable, http: 503 },
  "temporarily-unavailable": { connect: Code.Unavailable, http: 503 },
  "record-unreadable": { connect: Code.Unavailable, http: 503 },
  "deadline-exceeded": { connect: Code.DeadlineExceeded, http: 504 },
  "proof-pending": { connect: Code.NotFound, http: 404 },
  "document-damaged": { connect: Code.DataLoss, http: 500 },
  "audit-fault": { connect: Code.DataLoss, http: 500 },
  internal: { connect: Code.Internal, http: 500 },
};

/** True for a code of the catalogue; text from the network may be any text. */
export function isRejectionCode(text: string): text is RejectionCode {
  return Object.hasOwn(rejectionCatalogue, text);
}

/** The code as REST writes it: `insufficient-balance` becomes `insufficient_balance`. */
export function restCode(code: RejectionCode): string {
  return code.replaceAll("-", "_");
}

/** Returns a code's meaning and the client's action, from the catalogue. */
export function meaningOf(code: RejectionCode): { readonly sentence: string; readonly clientAction: string } {
  return rejectionCatalogue[code];
}
