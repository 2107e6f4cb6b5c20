export * from "./event-loop-by-hand.ts";
export * from "./eventually.ts";
export * from "./virtual-clock.ts";
export * from "./free-port.ts";
export * from "./listen.ts";
export * from "./listening.ts";
export * from "./tcp-proxy.ts";
export * from "./temporary-directory.ts";
