/** Given/when/then for specs of deciders and processes (vitest). */

export * from "./decider-spec.ts";
export * from "./process-spec.ts";
