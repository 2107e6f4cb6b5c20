import { EventEmitter } from "node:events";

/** Whether a service accepts requests. */
export type HealthStatus = "serving" | "not-serving";

/** Health of a listener's services, for load balancers. The empty name is the process as a whole. */
export interface Health {
  set(service: string, status: HealthStatus): void;
  /** Undefined for a service nobody has spoken about. */
  get(service: string): HealthStatus | undefined;
  /** Calls back after each change of any service; answers the function that stops it. */
  onChange(listener: () => void): () => void;
}

/** A health board; the process as a whole starts as not serving. */
export function createHealth(): Health {
  const statuses = new Map<string, HealthStatus>([["", "not-serving"]]);
  const changes = new EventEmitter();
  // One listener for each open Watch; the server's limits on connections and streams bound their number.
  changes.setMaxListeners(0);
  return {
    get: (service) => statuses.get(service),
    set(service, status) {
      if (statuses.get(service) === status) return;
      statuses.set(service, status);
      changes.emit("change");
    },
    onChange(listener) {
      changes.on("change", listener);
      return () => {
        changes.off("change", listener);
      };
    },
  };
}
