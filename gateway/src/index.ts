export { apiPrefix, createGateway, type GatewayOptions } from "./gateway.ts";
export { createFailureLimit, type FailureLimit, type FailureLimitOptions } from "./http/rate-limit.ts";
export type { ConnectionLimits } from "./http/connection-limits.ts";
export type { Operation } from "./http/operation.ts";
export type { GatewayLogger } from "./http/request-log.ts";
export { openSharedCounts, type SharedCounts } from "./http/shared-counts.ts";
export { renderOpenApiDocument } from "./openapi/described-operations.ts";
export { renderScopesDocument } from "./openapi/described-operations.ts";
export type { Readiness } from "./resources/health/health.ts";
export {
  openGateway,
  startGateway,
  startHttp,
  withRequestId,
  type RunningGateway,
  type RunningHttp,
  type StartGatewayOptions,
  type StartHttpOptions,
  type WaitingGateway,
} from "./server.ts";
