export * from "./eventually.ts";
export * from "./virtual-clock.ts";
