import type { Transport } from "@connectrpc/connect";
import {
  type ConnectionLimits,
  createFailureLimit,
  openGateway,
  openSharedCounts,
  type SharedCounts,
  startHttp,
  type WaitingGateway,
  withRequestId,
} from "@hostledger/gateway";
import {
  type CallerTokens,
  type CountFailure,
  openRpcListener,
  type PartName,
  type RpcListener,
  type RpcListenerOptions,
  type RpcTls,
} from "@hostledger/rpc";
import { ConfigurationError, defined, randomIds } from "@hostledger/runtime";

import { staffTls } from "./certificates.ts";
import type { Configuration } from "./configuration/index.ts";
import type { HostContext } from "./host-context.ts";
import { gatewayMetricsPageOf, metricsPageOf } from "./metrics/process-metrics.ts";
import { clientsOf } from "./peers.ts";
import type { Readiness } from "./readiness.ts";
import type { ServiceName } from "./services.ts";
import type { FindReader } from "./staff/metrics-readers.ts";
import { isShared } from "./shared-data.ts";
import { graceMs, lingerMs, requestTimeoutMs } from "./time-limits.ts";

/** The listeners of a process. They open before its services; until then `/readyz` of each lists what is missing. */
export interface Listeners {
  /** For internal callers; without services the staff listener. */
  readonly rpc: RpcListener;
  /** For staff; without a gateway the listener for internal callers. */
  readonly staff: RpcListener;
  readonly gateway: WaitingGateway | undefined;
  /** Request counts that the gateway and the staff listener share with other processes; undefined if each process counts alone. */
  readonly sharedCounts: SharedCounts | undefined;
  /** Lets running requests of all listeners finish within one time limit, then ends them. Safe to repeat. */
  close(): Promise<void>;
}

/** Answers that listeners need before the services have started. */
export interface LateAnswers {
  readonly readiness: () => Promise<Readiness>;
  readonly findReader: FindReader;
}

/**
 * Returns the limit of open connections per client of the REST API, and how clients are distinguished.
 * @throws ConfigurationError if the PROXY protocol is on and no trusted proxy is named.
 */
export function connectionsOf({
  connectionLimit: perAddress,
  trustedProxies = [],
  proxyProtocol,
}: Configuration): Partial<ConnectionLimits> {
  const proxyHeaders = proxyProtocol === "on";
  if (proxyHeaders && trustedProxies.length === 0)
    throw new ConfigurationError([
      "HOSTLEDGER_PROXY_PROTOCOL=on needs HOSTLEDGER_TRUSTED_PROXIES: the networks of the proxies that send the header.",
    ]);
  return { perAddress, trustedProxies, proxyHeaders };
}

/** Returns the database in which several gateways count requests together, if the read models' database is shared. */
export function sharedCountsOf({
  configuration: { database },
  logger,
  shutdown,
}: Pick<HostContext, "configuration" | "logger" | "shutdown">): SharedCounts | undefined {
  if (database === "sqlite") return undefined;
  const counts = openSharedCounts(database, logger);
  shutdown.add("shared counts", () => counts.close());
  return counts;
}

/**
 * Limits failed authentications of staff, auditors and internal teams as those of customers are, and with them.
 * @returns undefined where the operator sets no limit.
 */
export function failureCounterOf(
  { rateLimit: perMinute, trustedProxies }: Configuration,
  sharedCounts?: SharedCounts,
): CountFailure | undefined {
  if (perMinute === 0) return undefined;
  const failures = createFailureLimit({ perMinute, ...defined({ trustedProxies, sharedCounts }) });
  return async (origin, tokenPrefix) => (await failures.count(origin, tokenPrefix))?.count.resetSeconds;
}

/**
 * Opens the listeners for internal callers (if services run here), staff and customers (if the gateway runs here)
 * before the slow parts of a start, so that early requests get a clear answer.
 * @throws Error of the system if a port is taken.
 * @throws ConfigurationError see `connectionsOf`.
 */
export async function openListeners(
  hostContext: HostContext,
  parts: readonly PartName[],
  { readiness, findReader }: LateAnswers,
): Promise<Listeners> {
  const { certificates, configuration, logger, metrics, shutdown } = hostContext;
  const { host, port, adminHost, adminPort, rpcHost, rpcPort } = configuration;
  const hasGateway = parts.includes("gateway");
  const hasServices = parts.some((part) => part !== "gateway");
  const connections = hasGateway ? connectionsOf(configuration) : {};
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(closing.map((each) => each()));
  };
  shutdown.add("listeners of a start that failed", close);
  const sharedCounts = hasGateway ? sharedCountsOf(hostContext) : undefined;
  const pageOf = hasServices ? metricsPageOf : gatewayMetricsPageOf;
  const metricsPage = pageOf(metrics, configuration, findReader);
  const listen = async (
    place: Pick<RpcListenerOptions, "host" | "port" | "home">,
    shown: (tls: RpcTls) => RpcTls,
  ): Promise<RpcListener> => {
    const tls = certificates.current();
    const listener = await openRpcListener({
      ...place,
      logger,
      readiness,
      // If there is a staff listener, only it serves the metrics.
      ...((place.home !== undefined || !hasGateway) && { metricsPage }),
      countFailure: failureCounterOf(configuration, sharedCounts),
      ...defined({ tls: tls && shown(tls) }),
    });
    certificates.onRenewed((renewed) => {
      listener.renewTls(shown(renewed));
    });
    closing.push(() => listener.close(graceMs));
    return listener;
  };
  const rpc = hasServices ? await listen({ host: rpcHost, port: rpcPort }, (tls) => tls) : undefined;
  if (rpc !== undefined && !hasGateway) return { rpc, staff: rpc, gateway: undefined, sharedCounts, close };
  const known: { restUrl?: string } = {};
  const home = (): string => staffHomePage(known.restUrl);
  const staff = await listen({ host: adminHost, port: adminPort, home }, staffTls);
  const gateway = await openGateway({ host, port, logger, readiness, ids: randomIds, connections });
  known.restUrl = new URL(gateway.url).origin;
  const isBehindBalancer = !hasServices || isShared(configuration);
  closing.push(() => gateway.close(graceMs, isBehindBalancer ? lingerMs : 0));
  return { rpc: rpc ?? staff, staff, gateway, sharedCounts, close };
}

/** Answers over HTTP/1.1. */
type HttpHandler = Parameters<typeof withRequestId>[0];

/** Services that the gateway calls, and their transports. */
export interface Calling {
  readonly to: (name: ServiceName) => Transport;
  /** Reaches the audit service; undefined if the deployment has none. */
  readonly toAudit: () => Transport | undefined;
  readonly callers: () => CallerTokens;
  readonly instanceId: string;
  readonly readiness: () => Promise<Readiness>;
  readonly audit?: HttpHandler;
}

/** Lets the gateway of this process, if any, answer requests. */
export function serveGateway(
  { configuration, logger, metrics, tracing }: HostContext,
  { gateway, sharedCounts }: Listeners,
  { to, toAudit, callers, audit, ...calling }: Calling,
): void {
  const { rateLimit: requestsPerMinute, trustedProxies } = configuration;
  gateway?.serve({
    ...clientsOf(to, toAudit()),
    ...calling,
    callers: callers(),
    requestsPerMinute,
    logger,
    metrics,
    ids: randomIds,
    requestTimeoutMs,
    ...defined({ trustedProxies, sharedCounts, audit, tracing }),
  });
}

/** The console, the log and Connect are for browsers and simple programs: they speak HTTP/1.1, on the port of the API. */
export async function listenForAuditors(
  { configuration, logger, shutdown }: HostContext,
  { http }: { readonly http: HttpHandler },
): Promise<string> {
  const { host, port } = configuration;
  const handle = withRequestId(http, randomIds);
  const connections = connectionsOf(configuration);
  const auditors = await startHttp({ host, port, handle, ids: randomIds, logger, connections });
  shutdown.add("auditors' listener", () => auditors.close(graceMs));
  return `${auditors.url}/audit`;
}

/** Returns the page for browsers that open the staff listener. @param restUrl address for customers, once known */
function staffHomePage(restUrl: string | undefined): string {
  const rest =
    restUrl === undefined
      ? ""
      : `
<p>Customers are served at <a href="${restUrl}/">${restUrl}/</a>, with the <a href="${restUrl}/docs">reference</a> and the <a href="${restUrl}/audit">audit console</a>.</p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hostledger, staff</title>
<h1>Hostledger, staff</h1>
<p>The listener for staff: the command <code>hostledger admin</code> and Connect clients with a staff token call it.</p>${rest}
<ul>
<li><a href="/healthz">Health: does the process live</a></li>
<li><a href="/readyz">Readiness: does it take requests</a></li>
<li><a href="/metrics">Metrics, with a staff token</a></li>
</ul>
</html>
`;
}
