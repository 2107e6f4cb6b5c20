import type { Configuration } from "./configuration/index.ts";

/**
 * Returns true if several instances may share the data (ADR 0180). A request's owner may then be alive in another
 * instance and must be awaited, and a load balancer must learn of a shutdown before connections end.
 */
export function isShared({ eventStore, database }: Pick<Configuration, "eventStore" | "database">): boolean {
  return eventStore !== "embedded" && database !== "sqlite";
}
