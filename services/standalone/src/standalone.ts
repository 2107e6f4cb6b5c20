import { startGateway, type Readiness } from "@hostledger/gateway";
import { createHealth, staffInterceptors, startRpcServer } from "@hostledger/rpc";
import { createShutdown, type Configuration, type Logger, type Shutdown } from "@hostledger/runtime";

import { openDemo, type Demo } from "./demo.ts";
import { openParts, type PartDecorators, type Parts } from "./parts.ts";
import type { Projectors } from "./projection-admin.rpc.ts";
import { startServices, type Services } from "./services.ts";

/** What a whole instance needs. The data directory exists and is this process's alone. */
export interface StandaloneOptions {
  readonly configuration: Configuration;
  readonly logger: Logger;
  /** Called once when the process must stop: the system of record failed. */
  readonly onFatal: (error: Error) => void;
  readonly decorate?: PartDecorators;
}

/** All services and the gateway in one process. */
export interface Standalone {
  /** For example `http://127.0.0.1:8080/api/v1`. */
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly rpcUrl: string;
  /** Opens the demo's account, prices and balance; undefined on a store that has data. */
  openDemo(): Promise<Demo | undefined>;
  /** Finishes what is running, then closes everything. */
  close(): Promise<void>;
}

/** Time for running requests to finish at shutdown: longer than the slowest registration. */
const graceMs = 30_000;
const stepLimitMs = 35_000;
const requestTimeoutMs = 60_000;

/** A rebuild of read models may take as long as the log is. */
const staffDeadline = { defaultMs: 30_000, maximumMs: 3_600_000 };

/**
 * Starts everything in one process: the services call each other over Connect without serialising, and listen for
 * internal callers, staff and customers on three ports.
 */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { configuration, logger, onFatal, decorate } = options;
  const shutdown = createShutdown({ logger, stepLimitMs });
  try {
    const parts = await openParts(configuration, shutdown, onFatal, decorate);
    const services = await startServices(parts, configuration, logger, shutdown);
    const listeners = await listen(parts, services, configuration, logger, shutdown);
    return {
      ...listeners,
      async openDemo() {
        const isEmpty = (await parts.store.lastPosition()) === undefined;
        return isEmpty ? await openDemo(services.staffTransport, parts.staffCredential) : undefined;
      },
      close: async () => {
        await shutdown.run();
      },
    };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function listen(
  { callers, ids, instanceId, staffCredential }: Parts,
  { clients, projectors, routes, staffRoutes, interceptors }: Services,
  { host, port, adminPort, rpcPort, rateLimit }: Configuration,
  logger: Logger,
  shutdown: Shutdown,
): Promise<Pick<Standalone, "baseUrl" | "adminUrl" | "rpcUrl">> {
  const health = createHealth();
  const rpc = await startRpcServer({ host, port: rpcPort, services: routes, interceptors, health, logger });
  shutdown.add("rpc listener", () => rpc.close(graceMs));
  const staff = await startRpcServer({
    host,
    port: adminPort,
    services: staffRoutes,
    interceptors: staffInterceptors({ credential: staffCredential, logger, deadline: staffDeadline }),
    health: createHealth(),
    logger,
  });
  shutdown.add("staff listener", () => staff.close(graceMs));
  await Promise.all(Object.values(projectors).map((projector) => projector.ready()));
  const gateway = await startGateway({
    host,
    port,
    ...clients,
    callers,
    instanceId,
    requestsPerMinute: rateLimit,
    logger,
    ids,
    readiness: () => Promise.resolve(readinessOf(projectors)),
    requestTimeoutMs,
  });
  shutdown.add("gateway", () => gateway.close(graceMs));
  health.set("", "serving");
  return { baseUrl: gateway.url, adminUrl: staff.url, rpcUrl: rpc.url };
}

/** Ready means: every read model follows the log. */
function readinessOf(projectors: Projectors): Readiness {
  const parts = Object.entries(projectors).flatMap(([service, projector]) =>
    projector.health().map(({ name, state }) => [`${service}.${name}`, state] as const),
  );
  return {
    ready: parts.every(([, state]) => state !== "parked" && state !== "catching-up"),
    parts: Object.fromEntries(parts),
  };
}
