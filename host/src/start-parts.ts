import { forwardingInterceptors, type PartName } from "@hostledger/rpc";
import { createShutdown, defined, randomIds, startOrClose, systemClock } from "@hostledger/runtime";

import { startAudit, type Audit } from "./audit.ts";
import { openCertificates, publishCertificate } from "./certificates.ts";
import { refuseClearText } from "./clear-text.ts";
import type { Configuration, ListenerName } from "./configuration/index.ts";
import { isWholeDemo, openDemo, type Demo } from "./demo.ts";
import { readDemoProgress } from "./demo-progress.ts";
import { startNode } from "./event-store-node.ts";
import type { HostContext, StartOptions } from "./host-context.ts";
import {
  connectionsOf,
  listenForAuditors,
  openListeners,
  serveGateway,
  type Listeners,
} from "./listeners.ts";
import { meterServices } from "./metrics/part.metrics.ts";
import { openObservation } from "./metrics/process-metrics.ts";
import { accountsOnDemand } from "./open-accounts.ts";
import type { Providers } from "./open-providers.ts";
import { createPeers, readinessOfPeers, type Peers } from "./peers.ts";
import { opening, readinessOf, readOrLate, type Readiness } from "./readiness.ts";
import { Routes } from "./routes.ts";
import { sellerOf } from "./seller.ts";
import { openServiceContext, type ServiceContext } from "./service-context.ts";
import { openOwnKeys, openPartKeys } from "./service-keys/open-service-keys.ts";
import {
  providersOnDemand,
  serviceNames,
  starters,
  type ServiceName,
  type ServiceStart,
  type StartedService,
} from "./services.ts";
import { isShared } from "./shared-data.ts";
import { staffForwarding } from "./staff-forwarding.ts";
import { metricsReadersAt, metricsReadersOf, type FindReader } from "./staff/metrics-readers.ts";
import { shutdownLimits, staffDeadline, takeOverAfterMs } from "./time-limits.ts";

export interface StartedParts {
  /**
   * Address of the process: the API, for example `http://127.0.0.1:8080/api/v1`; without a gateway the audit's pages
   * or the RPC.
   */
  readonly baseUrl: string;
  /** Address for staff. */
  readonly adminUrl: string;
  /** Address for internal callers; the staff listener of a process with only the gateway. */
  readonly rpcUrl: string;
  /** Address for EventStoreDB's clients, if enabled. */
  readonly esdbUrl?: string;
  /**
   * Opens the demo's account, prices and balance, or completes what an interrupted start left.
   * @param isKeyKnown false if nobody has the key of a complete demo, which then gets another key.
   * @returns undefined if the store has other data, if nothing is to do, and if not all services run here.
   */
  openDemo(isKeyKnown?: boolean): Promise<Demo | undefined>;
  /** Finishes running work, then closes everything. */
  close(): Promise<void>;
}

type Services = Partial<Record<ServiceName, StartedService>> & { audit?: Audit };

/** Time for which the node gathers events for the audit alone, in milliseconds: the audit signs once a second. */
const auditGatherMs = 100;

/**
 * Starts parts in this process: all or one. Listeners open first, and list at `/readyz` what is missing. Services in
 * this process are called without serialising, others over the network. A process with all parts serves as soon as
 * events can be read and written, even while read models are being built. A single service first waits briefly for
 * its read models, because other processes may serve meanwhile.
 */
export async function startParts(parts: readonly PartName[], options: StartOptions): Promise<StartedParts> {
  const { configuration, logger } = options;
  refuseClearText(configuration, listenersOf(parts, configuration));
  const certificates = openCertificates(options);
  const shutdown = createShutdown({ logger, ...shutdownLimits });
  return startOrClose(shutdown, options.stopping, async () => {
    const alone = aloneOf(parts);
    const name = alone === undefined ? "hostledger" : `hostledger-${alone}`;
    const hostContext = {
      ...options,
      ...(await openObservation({ ...options, shutdown }, name)),
      certificates,
      shutdown,
    };
    // Contradicting settings are reported before anything opens.
    if (parts.includes("gateway")) connectionsOf(configuration);
    if (parts.includes("account")) sellerOf(configuration);
    if (alone === undefined) publishCertificate(configuration.data, certificates);
    return alone === "gateway" ? startGatewayAlone(hostContext) : startServices(hostContext, parts);
  });
}

function aloneOf(parts: readonly PartName[]): PartName | undefined {
  return parts.length === 1 ? parts[0] : undefined;
}

function listenersOf(parts: readonly PartName[], { esdbPort }: Configuration): readonly ListenerName[] {
  const alone = aloneOf(parts);
  return [
    ...(parts.includes("gateway") ? (["rest", "admin"] as const) : []),
    ...(alone === "gateway" ? [] : (["rpc"] as const)),
    ...(alone === "audit" ? (["rest"] as const) : []),
    ...(alone === undefined && esdbPort !== undefined ? (["esdb"] as const) : []),
  ];
}

/**
 * Starts the REST API, and a staff listener that passes every call on. They hold no state: any number of them may stand behind a load
 * balancer, which asks `/readyz`.
 */
async function startGatewayAlone(hostContext: HostContext): Promise<StartedParts> {
  const { configuration, logger, tracing } = hostContext;
  const peers = createPeers(hostContext);
  const clock = systemClock(configuration.clockOffsetMs);
  const callers = openPartKeys("gateway", { configuration, clock, logger })("gateway");
  const transports = {
    account: peers("account"),
    domain: peers("domain"),
    server: peers("server"),
    support: peers("support"),
  };
  const audit = defined({ audit: configuration.auditUrls === undefined ? undefined : peers("audit") });
  const readiness = () => readinessOfPeers(transports);
  const listeners = await openListeners(hostContext, ["gateway"], {
    readiness,
    findReader: metricsReadersAt(transports.account),
  });
  listeners.staff.serve({
    services: staffForwarding({ ...transports, ...audit }),
    interceptors: forwardingInterceptors({ logger, deadline: staffDeadline, ...defined({ tracing }) }),
  });
  serveGateway(hostContext, listeners, {
    to: peers,
    toAudit: () => audit.audit,
    callers: () => callers,
    instanceId: randomIds.uuid(),
    readiness,
  });
  return startedAt(hostContext, listeners);
}

/** Starts services, and the gateway beside them where it is among the parts. */
async function startServices(hostContext: HostContext, parts: readonly PartName[]): Promise<StartedParts> {
  const { configuration, metrics, shutdown } = hostContext;
  const alone = aloneOf(parts);
  let readiness = (): Promise<Readiness> => Promise.resolve(opening);
  let findReader: FindReader = () => Promise.reject(new Error("the list of the staff is not open yet"));
  const listeners = await openListeners(hostContext, parts, {
    readiness: () => readiness(),
    findReader: (authorization) => findReader(authorization),
  });
  const context =
    alone === undefined
      ? await openServiceContext({ storeClaim: "own", ...hostContext }, openOwnKeys)
      : await openServiceContext(
          hostContext,
          (keys) => openPartKeys(alone, keys),
          alone === "audit" ? auditGatherMs : undefined,
        );
  findReader = metricsReadersOf(context.staff);
  const peers = createPeers(hostContext);
  const providers = providersOnDemand(hostContext, context);
  const routes = new Routes(hostContext, context, alone ?? "account");
  const services = await startEach(hostContext, parts, { context, providers, peers, routes });
  readiness = () => readinessOf(context.store, services, context);
  meterServices(metrics, services, context);
  const catchUp = () => readOrLate(Object.values(services).map(({ projector }) => projector));
  if (alone !== undefined) await catchUp();
  const auditors =
    alone === "audit" && services.audit !== undefined
      ? await listenForAuditors(hostContext, services.audit)
      : undefined;
  serve(hostContext, listeners, { context, services, routes, peers, readiness });
  const node =
    alone === undefined && configuration.esdbPort !== undefined
      ? await startNode(hostContext, context.rawStore)
      : undefined;
  // Listeners close before the services that answer their requests.
  shutdown.add("listeners", () => listeners.close());
  if (alone === undefined) await catchUp();
  return {
    ...startedAt(hostContext, listeners, auditors),
    ...defined({ esdbUrl: node?.connectionString }),
    async openDemo(isKeyKnown = true) {
      if (alone !== undefined) return undefined;
      const progress = await readDemoProgress(context.rawStore);
      const { regions } = providers().compute;
      if (progress === undefined || (isKeyKnown && isWholeDemo(progress, regions))) return undefined;
      return openDemo(routes.asOwner(services), { progress, ...defined({ regions }) });
    },
  };
}

function startedAt(
  { shutdown }: HostContext,
  { rpc, staff, gateway }: Listeners,
  auditorsUrl = rpc.url,
): StartedParts {
  return {
    baseUrl: gateway?.url ?? auditorsUrl,
    adminUrl: staff.url,
    rpcUrl: rpc.url,
    openDemo: () => Promise.resolve(undefined),
    close: async () => {
      await shutdown.run();
    },
  };
}

interface Starting {
  readonly context: ServiceContext;
  readonly providers: () => Providers;
  readonly peers: Peers;
  readonly routes: Routes;
}

/** Starts the services among the parts, one after the other, and the audit last. */
async function startEach(
  hostContext: HostContext,
  parts: readonly PartName[],
  { context, providers, peers, routes }: Starting,
): Promise<Services> {
  const { configuration, shutdown } = hostContext;
  const services: Services = {};
  const hasGateway = parts.includes("gateway");
  const starting: ServiceStart = {
    context,
    configuration,
    accounts: accountsOnDemand(hostContext, context, aloneOf(parts) ?? "account"),
    providers,
    decorate: hostContext.decorate ?? {},
    toDocuments: () =>
      services.account === undefined ? peers("account") : routes.inProcess("account", services.account),
    // Without a gateway here, nobody knows whether the one that began a request lives.
    gateways: hasGateway
      ? {
          isAlive: (owner) => owner === context.instanceId,
          takeOverAfterMs: isShared(configuration) ? takeOverAfterMs : 0,
        }
      : { isAlive: () => false, takeOverAfterMs },
  };
  for (const name of serviceNames)
    if (parts.includes(name)) {
      const service = await starters[name](starting);
      shutdown.add(`${name} service`, () => service.close());
      services[name] = service;
    }
  // One process keeps the audit log, with one key; other processes forward staff to it.
  const isAuditedElsewhere = hasGateway && configuration.auditUrls !== undefined;
  if (parts.includes("audit") && !isAuditedElsewhere) services.audit = await startAudit(hostContext, context);
  return services;
}

interface Serving {
  readonly context: ServiceContext;
  readonly services: Services;
  readonly routes: Routes;
  readonly peers: Peers;
  readonly readiness: () => Promise<Readiness>;
}

/** Hands the services to the listeners. */
function serve(
  hostContext: HostContext,
  listeners: Listeners,
  { context, services, routes, peers, readiness }: Serving,
): void {
  const { rpc, staff, gateway } = listeners;
  const forCallers = Object.entries(services).flatMap(([name, service]) => routes.forCallers(name, service));
  const forStaff = routes.forStaff(services, gateway === undefined ? undefined : peers);
  // Without a gateway, staff use the listener for internal callers, under their own credential.
  const ofRpc = rpc === staff ? [...forCallers, ...forStaff] : forCallers;
  rpc.serve({ services: ofRpc, interceptors: routes.callers });
  if (staff !== rpc) staff.serve({ services: forStaff, interceptors: routes.staff });
  serveGateway(hostContext, listeners, {
    to: (name) => routes.inProcess(name, services[name]),
    toAudit: () =>
      services.audit === undefined ? peers("audit") : routes.inProcess("audit", services.audit),
    callers: () => context.tokensOf("gateway"),
    instanceId: context.instanceId,
    readiness,
    ...defined({ audit: services.audit?.http }),
  });
}
