export * from "./outcome.ts";
export * from "./compute/compute.port.ts";
export * from "./registrar/registrar.port.ts";
export * from "./dns/dns.port.ts";
export * from "./limits/with-limits.ts";
export { sandboxLabels, type SandboxLabel } from "./sandbox/labels.ts";
export * from "./sandbox/sandbox.ts";
export type { HeldServer } from "./sandbox/sandbox-compute.adapter.ts";
export type { SandboxClock } from "./sandbox/sandbox-clock.ts";
