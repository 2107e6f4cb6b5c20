import { startHttp, withRequestId } from "@hostledger/gateway";
import {
  openRpcListener,
  serverInterceptors,
  staffInterceptors,
  staleReadsInterceptor,
  type ServiceImplementation,
} from "@hostledger/rpc";
import { createShutdown, defined, startOrClose } from "@hostledger/runtime";

import { startAudit, type Audit } from "./audit.ts";
import { openCertificates } from "./certificates.ts";
import { refuseClearText } from "./clear-text.ts";
import { accountsOnDemand } from "./open-accounts.ts";
import type { HostContext, StartOptions } from "./host-context.ts";
import { connectionsOf, failureCounterOf } from "./listeners.ts";
import { meterServices } from "./metrics/part.metrics.ts";
import { metricsPageOf, openObservation } from "./metrics/process-metrics.ts";
import {
  internalCallersOf,
  openServiceContext,
  staffCallersOf,
  type ServiceContext,
} from "./service-context.ts";
import { openPartKeys } from "./service-keys/open-service-keys.ts";
import { createPeers } from "./peers.ts";
import { opening, readinessOf, readOrLate, staleIn, type Readiness } from "./readiness.ts";
import {
  clockRoute,
  storeRoute,
  projectionRoute,
  providersOnDemand,
  staffRoute,
  teamsRoute,
  starters,
  watchStoppedStreams,
  type SeparateName,
  type StartedService,
} from "./services.ts";
import { metricsReadersOf, type FindReader } from "./staff/metrics-readers.ts";
import { graceMs, staffDeadline, shutdownLimits, takeOverAfterMs } from "./time-limits.ts";

/**
 * How long the node gathers what it sends to a process, in milliseconds: nobody waits for the audit, which signs its log once a second,
 * and each append would wake it.
 */
const gatherMs: Partial<Record<SeparateName, number>> = { audit: 100 };

/** A part of a deployment that runs alone. */
export interface SeparatePart {
  /** Where it is reached: a service's RPC, or the gateway's API. */
  readonly url: string;
  /** Finishes what is running, then closes everything. */
  close(): Promise<void>;
}

/**
 * Starts one service alone: it listens at once, tells at `/readyz` what is missing, and serves internal callers and (under
 * their own credential) staff when its read models have reached the end of the log, or are long in doing so.
 */
export async function startSeparateService(name: SeparateName, options: StartOptions): Promise<SeparatePart> {
  const { configuration, logger } = options;
  refuseClearText(configuration, name === "audit" ? ["rpc", "rest"] : ["rpc"]);
  const certificates = openCertificates(options);
  const shutdown = createShutdown({ logger, ...shutdownLimits });
  let readiness = (): Promise<Readiness> => Promise.resolve(opening);
  let findReader: FindReader = () => Promise.reject(new Error("the list of the staff is not open yet"));
  return startOrClose(shutdown, options.stopping, async () => {
    const { metrics, tracing } = await openObservation({ ...options, shutdown }, `hostledger-${name}`);
    const hostContext = { ...options, certificates, shutdown, metrics, tracing };
    const traced = defined({ tracing });
    const listener = await openRpcListener({
      host: configuration.rpcHost,
      port: configuration.rpcPort,
      logger,
      readiness: () => readiness(),
      metricsPage: metricsPageOf(metrics, configuration, (authorization) => findReader(authorization)),
      countFailure: failureCounterOf(configuration),
      ...defined({ tls: certificates.current() }),
    });
    certificates.onRenewed((tls) => {
      listener.renewTls(tls);
    });
    const closeListener = (): Promise<void> => listener.close(graceMs);
    shutdown.add("rpc listener of a start that failed", closeListener);
    const context = await openServiceContext(hostContext, (keys) => openPartKeys(name, keys), gatherMs[name]);
    findReader = metricsReadersOf(context.staff);
    const service = await start(name, hostContext, context);
    // Callers leave first, so the listener closes before what answers them.
    shutdown.add("rpc listener", closeListener);
    meterServices(metrics, { [name]: service }, context);
    readiness = () => readinessOf(context.store, { [name]: service }, context);
    await readOrLate([service.projector]);
    const url =
      service.http === undefined ? listener.url : await listenForAuditors(hostContext, context, service.http);
    const marking = staleReadsInterceptor((accountId) =>
      staleIn(name, service.projector, context.storeWatch, accountId),
    );
    const staff = staffInterceptors({
      ...staffCallersOf(context),
      logger,
      deadline: staffDeadline,
      ...traced,
    });
    listener.serve({
      services: [
        ...service.routes,
        ...staffRoutesOf(name, service, hostContext, context).map((route) => ({
          ...route,
          interceptors: [...staff, marking],
        })),
      ],
      interceptors: [
        ...serverInterceptors({
          tokens: context.tokensOf(name),
          ...internalCallersOf(context),
          logger,
          ...traced,
        }),
        marking,
      ],
    });
    return {
      url,
      close: async () => {
        await shutdown.run();
      },
    };
  });
}

/** A service as it is started here; the audit brings what it answers over HTTP/1.1. */
type Separate = StartedService & Partial<Pick<Audit, "http" | "state" | "log" | "scrub">>;

async function start(
  name: SeparateName,
  hostContext: HostContext,
  context: ServiceContext,
): Promise<Separate> {
  if (name === "audit") return startAudit(hostContext, context);
  const peers = createPeers(hostContext);
  const service = await starters[name]({
    context,
    configuration: hostContext.configuration,
    accounts: accountsOnDemand(hostContext, context, name),
    providers: providersOnDemand(hostContext, context),
    toDocuments: () => peers("gateway"),
    gateways: { isAlive: () => false, takeOverAfterMs },
  });
  hostContext.shutdown.add(`${name} service`, () => service.close());
  return service;
}

/** What staff may ask of a service, and of the process that it is in. */
function staffRoutesOf(
  name: SeparateName,
  service: Separate,
  hostContext: HostContext,
  context: ServiceContext,
): readonly ServiceImplementation[] {
  const services = { [name]: service };
  return [
    ...service.staffRoutes,
    projectionRoute(services, watchStoppedStreams(services, context, hostContext), context),
    clockRoute(context),
    storeRoute(context),
    staffRoute(context),
    teamsRoute(context),
  ];
}

/** The console, the log and Connect are for browsers and simple programs: they speak HTTP/1.1, on the port of the API. */
async function listenForAuditors(
  { configuration, logger, shutdown }: HostContext,
  { ids }: ServiceContext,
  handle: Audit["http"],
): Promise<string> {
  const { host, port } = configuration;
  const auditors = await startHttp({
    host,
    port,
    handle: withRequestId(handle, ids),
    ids,
    logger,
    connections: connectionsOf(configuration),
  });
  shutdown.add("auditors' listener", () => auditors.close(graceMs));
  return `${auditors.url}/audit`;
}
