/** True if names are registered over EPP, at a registry that requires registrants: see `test-providers.ts`. */
export const isRegistrarEpp = ["epp", "all"].includes(process.env.TEST_PROVIDERS ?? "");

/** True if zones are also in a real PowerDNS, and servers on a fake cluster of Proxmox VE. */
export const areAllOutside = process.env.TEST_PROVIDERS === "all";

/** File of the registrar's names in a data directory. */
export const registryFile = isRegistrarEpp ? "registry.sqlite" : "sandbox.sqlite";
