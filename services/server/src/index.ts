export { startServerService, type ServerService } from "./service.ts";
export type { ServerServiceOptions } from "./dependencies.ts";
