/** Given/when/then for specs of deciders and processes (vitest), and examples of what they speak of. */

export * from "./any-text.ts";
export * from "./decider-spec.ts";
export * from "./examples.ts";
export * from "./excerpts.ts";
export * from "./process-spec.ts";
