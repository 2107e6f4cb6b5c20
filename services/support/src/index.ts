export { startSupportService, type SupportService } from "./service.ts";
export type { SupportServiceOptions } from "./dependencies.ts";
