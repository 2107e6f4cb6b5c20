/** Names of the headers a call carries beside the protocol's own. */
export const callHeaders = {
  /** A token of `createCallerTokens`. */
  caller: "hostledger-caller",
  requestId: "x-request-id",
  correlationId: "hostledger-correlation-id",
  causationId: "hostledger-causation-id",
  idempotencyKey: "idempotency-key",
  /** Names the operation: the same when an interrupted request is run again, so that no effect is repeated. */
  operationId: "hostledger-operation-id",
  /** The staff listener's credential, as `Bearer <credential>`. */
  authorization: "authorization",
} as const;
