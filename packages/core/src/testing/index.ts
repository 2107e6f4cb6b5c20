/** Given/when/then for specs of deciders and processes (vitest), with example commands and events. */

export * from "./any-text.ts";
export * from "./decider-spec.ts";
export * from "./examples.ts";
export * from "./excerpts.ts";
export * from "./process-spec.ts";
