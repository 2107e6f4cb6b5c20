export { startSupportService, type SupportService } from "./service.ts";
export type { SupportServiceOptions } from "./dependencies.ts";
export type { MailSettings } from "./notices/mail-transport.ts";
export { checkMailServer, type MailServerFinding } from "./notices/mail-check.ts";
