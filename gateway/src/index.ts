export { apiPrefix, createGateway, type GatewayOptions } from "./gateway.ts";
export {
  createFailureLimit,
  type FailureLimit,
  type FailureLimitOptions,
} from "./http/failed-authentications.ts";
export type { ConnectionLimits } from "./http/connection-limits.ts";
export type { Operation } from "./http/operation.ts";
export type { GatewayLogger } from "./http/request-log.ts";
export { openSharedCounts, type SharedCounts } from "./http/shared-counts.ts";
export { renderOpenApiDocument } from "./openapi/described-operations.ts";
export { renderScopesDocument } from "./openapi/scopes-document.ts";
export { operationsOf, type GatewayClients } from "./operations.ts";
export { createInvoiceFiles, formatsOf, invoiceFormats, type InvoiceFormat } from "./views/invoice-files.ts";
export type { Readiness } from "./routes/health.routes.ts";
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
