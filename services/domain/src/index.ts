export { startDomainService, type DomainService } from "./service.ts";
export type { DomainServiceOptions, DomainSettings } from "./dependencies.ts";
