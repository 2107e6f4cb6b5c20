import { generic } from "./generic.ts";
import { verisign } from "./verisign.ts";

/** Peculiarities of registries, by their name in the configuration. */
export const registries = { generic, verisign } as const;

export type RegistryName = keyof typeof registries;
