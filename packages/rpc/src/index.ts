export * from "./clients/staff-client.ts";
export * from "./errors/error-document.ts";
export * from "./errors/order-answer.ts";
export * from "./errors/rejection-error.ts";
export * from "./errors/rejection-table.ts";
export * from "./errors/validated.ts";
export * from "./identity/caller.ts";
export * from "./identity/caller-token.ts";
export * from "./identity/call-permissions.ts";
export * from "./identity/service-scopes-document.ts";
/** Scopes of API keys and kinds of notices, for the gateway. */
export {
  apiKeyScopes,
  expiryNoticeDays,
  hasScope,
  maximumKeyAddresses,
  maximumKeyLabel,
  maximumWebhookUrl,
  noticeKinds,
  type ApiKeyScope,
  type NoticeKind,
} from "@hostledger/core";
export * from "./identity/service-keys.codec.ts";
export * from "./identity/staff-permissions.ts";
export {
  callerOf,
  claimRequest,
  conditionOf,
  requestContextOf,
  requireAccount,
  requireAuditor,
  requireService,
  requireStaff,
  type RequestContext,
  type WithContextValues,
} from "./interceptors/call-context.ts";
export * from "./interceptors/server-interceptors.ts";
export * from "./interceptors/error-mapping.interceptor.ts";
export * from "./interceptors/correlation.interceptor.ts";
export type { CountFailure, RequestOrigin } from "./interceptors/failed-authentications.ts";
export * from "./interceptors/headers.ts";
export * from "./interceptors/identity.interceptor.ts";
export * from "./interceptors/logger.port.ts";
export * from "./interceptors/outgoing.ts";
export * from "./interceptors/server-interceptors.ts";
export * from "./interceptors/stale-reads.interceptor.ts";
export * from "./handlers/found.ts";
export * from "./handlers/use-quota.ts";
export * from "./mapping/from-row.codec.ts";
export * from "./paging/requested-page.ts";
export * from "./paging/requested-selection.ts";
export type { PeerHealth } from "./remote/peer.ts";
export * from "./remote/service-transport.ts";
export { checkedTls, TlsError, type RpcTls } from "./tls/tls.ts";
export * from "./transport/implement.ts";
export * from "./transport/in-process-transport.ts";
export * from "./server/connect-handler.ts";
export { createHealth, type Health, type HealthStatus } from "./server/health.ts";
export type { HttpLimits } from "./server/http-listener.ts";
export type { FoundReader } from "./server/metrics-access.ts";
export type { MetricsPage } from "./server/metrics-page.ts";
export * from "./server/rpc-listener.ts";
export type { Readiness } from "./server/readiness.ts";
