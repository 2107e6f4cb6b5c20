import type { Configuration } from "./configuration/index.ts";

/**
 * Whether other whole instances may be at the same data (ADR 0016): then who else began a request may live, and is waited for, and
 * customers come through a load balancer, which is told before connections end.
 */
export function isShared({ eventStore, database }: Pick<Configuration, "eventStore" | "database">): boolean {
  return eventStore !== "embedded" && database !== "sqlite";
}
