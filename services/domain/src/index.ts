export { startDomainService, type DomainService } from "./service.ts";
export type { DomainServiceOptions } from "./dependencies.ts";
export type { DomainSettings } from "./settings.ts";
