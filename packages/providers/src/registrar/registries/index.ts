import { generic } from "./generic.ts";
import { verisign } from "./verisign.ts";

/** What is particular to registries, by the word that the configuration has for it. */
export const registries = { generic, verisign } as const;

/** The word for a registry's habits. */
export type RegistryName = keyof typeof registries;
