/** Parties of which a spec replaces some calls, and real ones that a spec starts. */

export * from "./cuttable-wire.ts";
export * from "./plain-providers.ts";
export * from "./powerdns-server.ts";
export * from "./proxmox/fake-proxmox.ts";
