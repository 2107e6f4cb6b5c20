export { startStandalone, type Standalone, type StandaloneOptions } from "./standalone.ts";
export type { Demo } from "./demo.ts";
export type { PartDecorators } from "./parts.ts";
