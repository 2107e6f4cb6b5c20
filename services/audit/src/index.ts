/** The audit service: answers auditors' questions, and the log that proves the answers. */

export { startAuditService, type AuditService } from "./service.ts";
export { openAuditLog, type AuditLog } from "./log/audit-log.ts";
export { isLeaf } from "./log/leaf.ts";
export { letLogBegin, readKeptLog, restoreLog } from "./log/restoring.ts";
export { createScrub, differencesOf, type Scrub } from "./scrub/scrub.ts";
export { scrubFile } from "./scrub/scrub-state.ts";
export { createConsole } from "./console/console.ts";
export type { IdentityProvider } from "./sign-in/identity-provider.port.ts";
export { openIdProvider } from "./sign-in/open-id.adapter.ts";
export type { NamedMember } from "./sign-in/staff-sessions.ts";
export { logRoutes } from "./log/log-routes.ts";
