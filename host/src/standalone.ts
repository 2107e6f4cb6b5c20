import type { Transport } from "@connectrpc/connect";
import { startGateway } from "@hostledger/gateway";
import {
  createHealth,
  createInProcessTransport,
  serverInterceptors,
  staffInterceptors,
  staleReadsInterceptor,
  startRpcServer,
} from "@hostledger/rpc";
import { defined, createShutdown } from "@hostledger/runtime";

import { startAudit, type Audit } from "./audit.ts";
import { readDemoProgress } from "./demo-progress.ts";
import { isWholeDemo, openDemo, type Demo } from "./demo.ts";
import { startNode } from "./event-store-node.ts";
import type { HostContext, StartOptions } from "./host-context.ts";
import { clientsOf } from "./peers.ts";
import { meterServices } from "./metrics/part.metrics.ts";
import { metricsPageOf, openObservation } from "./metrics/process-metrics.ts";
import { openServiceContext, type ServiceContext } from "./service-context.ts";
import { parkedIn, readinessOf } from "./readiness.ts";
import { sellerOf } from "./seller.ts";
import {
  clockRoute,
  projectionRoute,
  providersOnDemand,
  serviceNames,
  starters,
  type ServiceName,
  type StartedService,
  type ServiceStart,
} from "./services.ts";
import { graceMs, requestTimeoutMs, staffDeadline, stepLimitMs } from "./time-limits.ts";

/** What a whole instance needs. The data directory exists and is this process's alone. */
export type StandaloneOptions = StartOptions;

/** All services and the gateway in one process. */
export interface Standalone {
  /** For example `http://127.0.0.1:8080/api/v1`. */
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly rpcUrl: string;
  /** Where EventStoreDB's clients connect, if they may. */
  readonly esdbUrl?: string;
  /**
   * Opens the demo's account, prices and balance, or what an earlier start that was cut off has left open of them.
   * @param isKeyKnown false where nobody has the key of a demo that is whole: then it gets another.
   * @returns undefined on a store that has other data, and where there is nothing to do.
   */
  openDemo(isKeyKnown?: boolean): Promise<Demo | undefined>;
  /** Finishes what is running, then closes everything. */
  close(): Promise<void>;
}

type Services = Readonly<Record<ServiceName, StartedService>>;
type All = Services & { readonly audit: Audit };

/**
 * Starts everything in one process: the services call each other over Connect without serialising, and listen for
 * internal callers, staff and customers on three ports.
 */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  const shutdown = createShutdown({ logger: options.logger, stepLimitMs });
  try {
    const observed = await openObservation({ ...options, shutdown }, "hostledger");
    const hostContext = { ...options, ...observed, shutdown };
    // Half a seller is told before anything is opened.
    sellerOf(options.configuration);
    const context = await openServiceContext(hostContext);
    const services = await startServices(hostContext, context);
    const audit = await startAudit(hostContext, context);
    const listeners = await listen(hostContext, context, { ...services, audit });
    const node =
      options.configuration.esdbPort === undefined
        ? undefined
        : await startNode(hostContext, context.rawStore);
    return {
      ...listeners,
      ...defined({ esdbUrl: node?.connectionString }),
      async openDemo(isKeyKnown = true) {
        const progress = await readDemoProgress(context.rawStore);
        if (progress === undefined || (isKeyKnown && isWholeDemo(progress))) return undefined;
        return openDemo(toStaff(hostContext, context, services), context.staffCredential, progress);
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

/** Starts the services one after the other. They call each other without serialising. */
async function startServices(hostContext: HostContext, context: ServiceContext): Promise<Services> {
  const { configuration, shutdown } = hostContext;
  const started: Partial<Record<ServiceName, StartedService>> = {};
  const starting: ServiceStart = {
    context,
    configuration,
    providers: providersOnDemand(hostContext, context),
    toAccount: () => inProcess(hostContext, context, "account", started.account),
    // This process has its data for itself: whoever else began a request is dead.
    gateways: { isAlive: (owner) => owner === context.instanceId, takeOverAfterMs: 0 },
  };
  const start = async (name: ServiceName): Promise<StartedService> => {
    const service = await starters[name](starting);
    shutdown.add(`${name} service`, () => service.close());
    started[name] = service;
    return service;
  };
  return {
    account: await start("account"),
    domain: await start("domain"),
    server: await start("server"),
    support: await start("support"),
  };
}

async function listen(
  hostContext: HostContext,
  context: ServiceContext,
  services: All,
): Promise<Pick<Standalone, "baseUrl" | "adminUrl" | "rpcUrl">> {
  const { configuration, logger, metrics, shutdown } = hostContext;
  const traced = defined({ tracing: hostContext.tracing });
  const { host, port, adminPort, rpcPort, rateLimit, trustedProxies } = configuration;
  const { callers, ids, instanceId, store } = context;
  const all = [...serviceNames.map((name) => services[name]), services.audit];
  const health = createHealth();
  meterServices(metrics, services, context);
  const rpc = await startRpcServer({
    host,
    port: rpcPort,
    services: all.flatMap(({ routes }) => routes),
    interceptors: serverInterceptors({ tokens: callers, logger, ...traced }),
    health,
    logger,
  });
  shutdown.add("rpc listener", () => rpc.close(graceMs));
  const staff = await startRpcServer({
    host,
    port: adminPort,
    services: [
      ...staffRoutesOf(services),
      ...services.audit.staffRoutes,
      projectionRoute(services, context),
      clockRoute(context),
    ],
    interceptors: staffInterceptors({
      credential: context.staffCredential,
      logger,
      deadline: staffDeadline,
      ...traced,
    }),
    health: createHealth(),
    logger,
    metricsPage: metricsPageOf(metrics, configuration),
  });
  shutdown.add("staff listener", () => staff.close(graceMs));
  await Promise.all(all.map(({ projector }) => projector.ready()));
  const gateway = await startGateway({
    host,
    port,
    ...clientsOf((name) => inProcess(hostContext, context, name, services[name])),
    callers,
    instanceId,
    requestsPerMinute: rateLimit,
    ...defined({ trustedProxies }),
    seller: sellerOf(configuration),
    logger,
    metrics,
    ids,
    audit: services.audit.http,
    readiness: () => readinessOf(store, services, context),
    requestTimeoutMs,
    ...traced,
  });
  shutdown.add("gateway", () => gateway.close(graceMs));
  health.set("", "serving");
  return { baseUrl: gateway.url, adminUrl: staff.url, rpcUrl: rpc.url };
}

function staffRoutesOf(services: Services) {
  return serviceNames.flatMap((name) => services[name].staffRoutes);
}

function inProcess(
  { logger, tracing }: Pick<HostContext, "logger" | "tracing">,
  { callers }: ServiceContext,
  name: ServiceName,
  service: StartedService | undefined,
): Transport {
  if (service === undefined) throw new Error(`the ${name} service is called before it is started`);
  return createInProcessTransport(service.routes, {
    interceptors: [
      ...serverInterceptors({ tokens: callers, logger, ...defined({ tracing }) }),
      staleReadsInterceptor(() => parkedIn(name, service.projector)),
    ],
  });
}

function toStaff(
  { logger }: HostContext,
  { staffCredential }: ServiceContext,
  services: Services,
): Transport {
  return createInProcessTransport(staffRoutesOf(services), {
    interceptors: staffInterceptors({ credential: staffCredential, logger }),
  });
}
