/** Whether names are registered over EPP, at a registry that wants to know its registrants: see `test-providers.ts`. */
export const isRegistrarEpp = ["epp", "all"].includes(process.env.TEST_PROVIDERS ?? "");

/** Whether zones are in a real PowerDNS, and servers on a fake cluster of Proxmox VE, too. */
export const areAllOutside = process.env.TEST_PROVIDERS === "all";

/** What a data directory keeps the registrar's names in. */
export const registryFile = isRegistrarEpp ? "registry.sqlite" : "sandbox.sqlite";
