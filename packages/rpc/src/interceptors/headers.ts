/** Names of the headers that a call and its answer carry beside the protocol's own. */
export const callHeaders = {
  /** A token of `createCallerTokens`. */
  caller: "hostledger-caller",
  requestId: "x-request-id",
  correlationId: "hostledger-correlation-id",
  causationId: "hostledger-causation-id",
  idempotencyKey: "idempotency-key",
  /** Names the operation: the same when an interrupted request is run again, so that no effect is repeated. */
  operationId: "hostledger-operation-id",
  /** With a key: digest of the request, and the gateway process that runs it. */
  fingerprint: "hostledger-request-fingerprint",
  owner: "hostledger-request-owner",
  /** The revision on which a conditional write is based, or `repeat`. */
  ifRevision: "hostledger-if-revision",
  /** The caller's span (W3C Trace Context). */
  traceparent: "traceparent",
  /** In an answer: read models with stopped rows, from which the answer may be out of date. */
  staleReads: "hostledger-stale",
  /** The staff listener's credential, as `Bearer <credential>`. */
  authorization: "authorization",
} as const;
