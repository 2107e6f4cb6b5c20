/** The audit service: answers auditors' questions, and the log that proves the answers. */

export type { AuditServiceOptions } from "./dependencies.ts";
export type { Auditors, AuditorUse } from "./credentials/auditors.ts";
export type { LogEvent, LogReader } from "./log.port.ts";
export { startAuditService, type AuditService } from "./service.ts";
export { openAuditLog, type AuditLog, type AuditLogHealth, type AuditLogOptions } from "./log/audit-log.ts";
export { isLeaf } from "./log/leaf.ts";
export { letLogBegin, readKeptLog, restoreLog, type KeptLog } from "./log/restoring.ts";
export { createScrub, differencesOf, type Scrub } from "./scrub/scrub.ts";
export { scrubFile } from "./scrub/scrub-state.ts";
export type { ScrubSettings } from "./scrub/scrub.ts";
export { createConsole } from "./console/console.ts";
export type { IdentityProvider } from "./sign-in/identity-provider.port.ts";
export { openIdProvider, type OpenIdOptions } from "./sign-in/open-id.adapter.ts";
export type { NamedMember } from "./sign-in/staff-sessions.ts";
export { logRoutes, type LogRoutesOptions } from "./log/log-routes.ts";
