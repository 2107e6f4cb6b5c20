/** Whether names are registered over EPP, at a registry that wants to know its registrants: see `test-providers.ts`. */
export const isRegistrarEpp = process.env.TEST_PROVIDERS === "epp";

/** What a data directory keeps the registrar's names in. */
export const registryFile = isRegistrarEpp ? "registry.sqlite" : "sandbox.sqlite";
