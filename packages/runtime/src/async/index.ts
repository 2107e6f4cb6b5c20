export * from "./backoff.ts";
export * from "./circuit-breaker.ts";
export * from "./event-loop.ts";
export * from "./limits.ts";
export * from "./lru.ts";
export * from "./mutex.ts";
export * from "./semaphore.ts";
export * from "./timing.ts";
