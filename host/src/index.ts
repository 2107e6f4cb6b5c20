export { startParts, type StartedParts } from "./start-parts.ts";
export { makeServiceKeys, type MadeServiceKeys } from "./service-keys/make-service-keys.ts";
export { startStandaloneNode, type StandaloneNode } from "./event-store-node.ts";
export {
  startSandboxRegistry,
  type SandboxRegistryOptions,
  type SandboxRegistryProcess,
} from "./sandbox-registry.ts";
export { serviceNames, type ServiceName } from "./services.ts";
export { exportStoreFile, importStoreFile, type StoreFileOptions } from "./store-file.ts";
export { makeBackup, restoreBackup, type BackupOptions, type BackupSummary } from "./backup/index.ts";
export { checkProviders, type CheckedProvider } from "./check-providers.ts";
export type { Demo } from "./demo.ts";
export type { PartDecorators, StartOptions } from "./host-context.ts";
