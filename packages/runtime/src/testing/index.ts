export * from "./eventually.ts";
export * from "./virtual-clock.ts";
export * from "./free-port.ts";
