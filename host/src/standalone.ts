import type { Interceptor, Transport } from "@connectrpc/connect";
import { bootstrapName } from "@hostledger/core";
import { account, admin } from "@hostledger/protocol";
import {
  createInProcessTransport,
  implement,
  serverInterceptors,
  staffInterceptors,
  staleReadsInterceptor,
  type ServiceImplementation,
} from "@hostledger/rpc";
import { defined, createShutdown, startOrClose } from "@hostledger/runtime";

import { startAudit, type Audit } from "./audit.ts";
import { openCertificates, publishCertificate } from "./certificates.ts";
import { refuseClearText } from "./clear-text.ts";
import { readDemoProgress } from "./demo-progress.ts";
import { documentRpc } from "./document.rpc.ts";
import { isWholeDemo, openDemo, type Demo } from "./demo.ts";
import { startNode } from "./event-store-node.ts";
import type { HostContext, StartOptions } from "./host-context.ts";
import type { Providers } from "./open-providers.ts";
import { accountsOnDemand } from "./open-accounts.ts";
import { openListeners, type Listeners } from "./listeners.ts";
import { clientsOf, createPeers } from "./peers.ts";
import { meterServices } from "./metrics/part.metrics.ts";
import { openObservation } from "./metrics/process-metrics.ts";
import { openOwnKeys } from "./service-keys/open-service-keys.ts";
import { internalCallersOf, openServiceContext, type ServiceContext } from "./service-context.ts";
import { opening, readinessOf, readOrLate, staleIn, type Readiness } from "./readiness.ts";
import { sellerOf } from "./seller.ts";
import { isShared } from "./shared-data.ts";
import {
  clockRoute,
  storeRoute,
  projectionRoute,
  providersOnDemand,
  serviceNames,
  staffRoute,
  teamsRoute,
  starters,
  watchStoppedStreams,
  type ServiceName,
  type StartedService,
  type ServiceStart,
} from "./services.ts";
import { auditForwarding } from "./staff-forwarding.ts";
import { documentAdminRpc } from "./staff/document-admin.rpc.ts";
import { metricsReadersOf, type FindReader } from "./staff/metrics-readers.ts";
import { requestTimeoutMs, staffDeadline, shutdownLimits, takeOverAfterMs } from "./time-limits.ts";

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
type All = Services & { readonly audit?: Audit };

/**
 * Starts everything in one process: the services call each other over Connect without serialising, and listen for
 * internal callers, staff and customers on three ports. They serve as soon as the facts can be read and written, however long
 * the read models take: those serve as they were, and what was never built says so.
 */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { configuration } = options;
  refuseClearText(configuration, [
    "rest",
    "admin",
    "rpc",
    ...(configuration.esdbPort === undefined ? [] : ["esdb" as const]),
  ]);
  const certificates = openCertificates(options);
  const shutdown = createShutdown({ logger: options.logger, ...shutdownLimits });
  return startOrClose(shutdown, options.stopping, async () => {
    const observed = await openObservation({ ...options, shutdown }, "hostledger");
    const hostContext = { ...options, ...observed, certificates, shutdown };
    // Half a seller is told before anything is opened.
    sellerOf(configuration);
    publishCertificate(configuration.data, certificates);
    let readiness = (): Promise<Readiness> => Promise.resolve(opening);
    let findReader: FindReader = () => Promise.reject(new Error("the list of the staff is not open yet"));
    const listeners = await openListeners(hostContext, {
      readiness: () => readiness(),
      findReader: (authorization) => findReader(authorization),
    });
    const context = await openServiceContext({ storeClaim: "own", ...hostContext }, openOwnKeys);
    findReader = metricsReadersOf(context.staff);
    const providers = providersOnDemand(hostContext, context);
    const services = await startServices(hostContext, context, providers);
    // One process keeps the audit log, with one key: where that is another one, staff are passed on to it.
    const isAudited = configuration.auditUrls === undefined;
    const parts = { ...services, ...(isAudited ? { audit: await startAudit(hostContext, context) } : {}) };
    readiness = () => readinessOf(context.store, parts, context);
    serve(hostContext, context, parts, listeners);
    const node =
      configuration.esdbPort === undefined ? undefined : await startNode(hostContext, context.rawStore);
    // Callers leave first, so the listeners close before what answers them.
    shutdown.add("listeners", () => listeners.close());
    await readOrLate(Object.values(parts).map(({ projector }) => projector));
    return {
      baseUrl: listeners.gateway.url,
      adminUrl: listeners.staff.url,
      rpcUrl: listeners.rpc.url,
      ...defined({ esdbUrl: node?.connectionString }),
      async openDemo(isKeyKnown = true) {
        const progress = await readDemoProgress(context.rawStore);
        const { regions } = providers().compute;
        if (progress === undefined || (isKeyKnown && isWholeDemo(progress, regions))) return undefined;
        return openDemo(toStaff(hostContext, services), { progress, ...defined({ regions }) });
      },
      close: async () => {
        await shutdown.run();
      },
    };
  });
}

/** Starts the services one after the other. They call each other without serialising. */
async function startServices(
  hostContext: HostContext,
  context: ServiceContext,
  providers: () => Providers,
): Promise<Services> {
  const { configuration, shutdown } = hostContext;
  const started: Partial<Record<ServiceName, StartedService>> = {};
  const toAccount = () => inProcess(hostContext, context, "account", started.account);
  const starting: ServiceStart = {
    context,
    configuration,
    accounts: accountsOnDemand(hostContext, context, "account"),
    providers,
    toDocuments: () =>
      createInProcessTransport([
        implement(account.DocumentService, documentRpc(toAccount(), sellerOf(configuration))),
      ]),
    gateways: {
      isAlive: (owner) => owner === context.instanceId,
      takeOverAfterMs: isShared(configuration) ? takeOverAfterMs : 0,
    },
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

/** Hands the services to the listeners. */
function serve(
  hostContext: HostContext,
  context: ServiceContext,
  services: All,
  { rpc, staff, gateway, sharedCounts }: Listeners,
): void {
  const { configuration, logger, metrics } = hostContext;
  const traced = defined({ tracing: hostContext.tracing });
  const { ids, instanceId, store, tokensOf } = context;
  const all = Object.values(services);
  const stopped = watchStoppedStreams(services, context, hostContext);
  meterServices(metrics, services, context);
  rpc.serve({
    services: all.flatMap(({ routes }) => routes),
    interceptors: serverInterceptors({
      tokens: tokensOf("account"),
      ...internalCallersOf(context),
      logger,
      ...traced,
    }),
  });
  const interceptors = staffInterceptors({
    identify: (authorization) => context.staff.identify(authorization),
    logger,
    refusesWrites: context.refusesWrites,
    deadline: staffDeadline,
    ...traced,
  });
  staff.serve({
    services: [
      ...serviceNames.flatMap((name) => markedRoutes(name, services[name], interceptors, context)),
      documentRoute(hostContext, context, services),
      ...(services.audit?.staffRoutes ?? auditForwarding(createPeers(hostContext)("audit"))),
      projectionRoute(services, stopped, context),
      clockRoute(context),
      storeRoute(context),
      staffRoute(context),
      teamsRoute(context),
    ],
    interceptors,
  });
  gateway.serve({
    ...clientsOf((name) => inProcess(hostContext, context, name, services[name])),
    callers: tokensOf("gateway"),
    instanceId,
    requestsPerMinute: configuration.rateLimit,
    ...defined({ trustedProxies: configuration.trustedProxies, sharedCounts }),
    seller: sellerOf(configuration),
    logger,
    metrics,
    ids,
    ...defined({ audit: services.audit?.http }),
    readiness: () => readinessOf(store, services, context),
    requestTimeoutMs,
    ...traced,
  });
}

/** What a service answers staff, marked where it may be out of date. */
function markedRoutes(
  name: ServiceName,
  { staffRoutes, projector }: StartedService,
  interceptors: readonly Interceptor[],
  { storeWatch }: Pick<ServiceContext, "storeWatch">,
): readonly ServiceImplementation[] {
  const marking = staleReadsInterceptor(() => staleIn(name, projector, storeWatch));
  return staffRoutes.map((route) => ({ ...route, interceptors: [...interceptors, marking] }));
}

function staffRoutesOf(services: Services) {
  return serviceNames.flatMap((name) => services[name].staffRoutes);
}

function inProcess(
  { logger, tracing }: Pick<HostContext, "logger" | "tracing">,
  { tokensOf, claimOf, refusesWrites, storeWatch }: ServiceContext,
  name: ServiceName,
  service: StartedService | undefined,
): Transport {
  if (service === undefined) throw new Error(`the ${name} service is called before it is started`);
  return createInProcessTransport(service.routes, {
    interceptors: [
      ...serverInterceptors({
        tokens: tokensOf(name),
        claimOf,
        logger,
        refusesWrites,
        ...defined({ tracing }),
      }),
      staleReadsInterceptor((accountId) => staleIn(name, service.projector, storeWatch, accountId)),
    ],
  });
}

/** Customers' documents as files, for staff: the account service is asked under the credential of whoever calls. */
function documentRoute(
  { configuration, logger }: HostContext,
  { staff }: ServiceContext,
  services: Services,
) {
  const toAccounts = createInProcessTransport(services.account.staffRoutes, {
    interceptors: staffInterceptors({ identify: (authorization) => staff.identify(authorization), logger }),
  });
  return implement(admin.DocumentAdminService, documentAdminRpc(toAccounts, sellerOf(configuration)));
}

/** The process itself asks, whoever may sign in as staff. */
function toStaff({ logger }: HostContext, services: Services): Transport {
  const process = { kind: "staff", name: bootstrapName, role: "owner", isProcess: true } as const;
  return createInProcessTransport(staffRoutesOf(services), {
    interceptors: staffInterceptors({ identify: () => Promise.resolve(process), logger }),
  });
}
