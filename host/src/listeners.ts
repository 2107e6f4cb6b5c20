import {
  createFailureLimit,
  openGateway,
  openSharedCounts,
  type ConnectionLimits,
  type SharedCounts,
  type WaitingGateway,
} from "@hostledger/gateway";
import { openRpcListener, type CountFailure, type RpcListener } from "@hostledger/rpc";
import { ConfigurationError, defined, randomIds } from "@hostledger/runtime";

import { staffHomePage } from "./staff/staff-home-page.ts";
import { staffTls } from "./certificates.ts";
import type { Configuration } from "./configuration/index.ts";
import type { HostContext } from "./host-context.ts";
import { metricsPageOf } from "./metrics/process-metrics.ts";
import type { Readiness } from "./readiness.ts";
import type { FindReader } from "./staff/metrics-readers.ts";
import { isShared } from "./shared-data.ts";
import { graceMs, lingerMs } from "./time-limits.ts";

/** The listeners of a whole instance. They are there before its services and tell, each of them, what is missing. */
export interface Listeners {
  /** For internal callers. */
  readonly rpc: RpcListener;
  readonly staff: RpcListener;
  readonly gateway: WaitingGateway;
  /** Where the gateway counts, and the staff listener counts already; undefined where each process counts for itself. */
  readonly sharedCounts: SharedCounts | undefined;
  /** Lets running requests of all three finish for the same time, then cuts them. Safe to repeat. */
  close(): Promise<void>;
}

/** What listeners are asked before there is somebody who knows. */
export interface LateAnswers {
  readonly readiness: () => Promise<Readiness>;
  readonly findReader: FindReader;
}

/**
 * What the clients of the REST API may hold open, each of them, and how they are told from each other.
 * @throws ConfigurationError where a header of the PROXY protocol would be believed of nobody.
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

/** Where the gateways beside this one count requests, too: the database of the read models, where that is for many processes. */
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
 * Listens for internal callers, staff and customers on three ports, before anything that may take its time: whoever asks is
 * answered that it is not yet there.
 * @throws the system's error when a port cannot be had. @throws ConfigurationError see `connectionsOf`.
 */
export async function openListeners(
  hostContext: HostContext,
  { readiness, findReader }: LateAnswers,
): Promise<Listeners> {
  const { certificates, configuration, logger, metrics, shutdown } = hostContext;
  const { host, port, adminHost, adminPort, rpcHost, rpcPort } = configuration;
  const connections = connectionsOf(configuration);
  const secured = defined({ tls: certificates.current() });
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(closing.map((each) => each()));
  };
  shutdown.add("listeners of a start that failed", close);
  const sharedCounts = sharedCountsOf(hostContext);
  const rpc = await openRpcListener({
    host: rpcHost,
    port: rpcPort,
    logger,
    readiness,
    countFailure: failureCounterOf(configuration, sharedCounts),
    ...secured,
  });
  closing.push(() => rpc.close(graceMs));
  const known: { restUrl?: string } = {};
  const metricsPage = metricsPageOf(metrics, configuration, findReader);
  const staff = await openRpcListener({
    host: adminHost,
    port: adminPort,
    logger,
    readiness,
    metricsPage,
    home: () => staffHomePage(known.restUrl),
    countFailure: failureCounterOf(configuration, sharedCounts),
    ...defined({ tls: staffTls(certificates.current()) }),
  });
  certificates.onRenewed((tls) => {
    rpc.renewTls(tls);
    staff.renewTls(staffTls(tls));
  });
  closing.push(() => staff.close(graceMs));
  const gateway = await openGateway({
    host,
    port,
    logger,
    readiness,
    ids: randomIds,
    connections,
  });
  known.restUrl = new URL(gateway.url).origin;
  closing.push(() => gateway.close(graceMs, isShared(configuration) ? lingerMs : 0));
  return { rpc, staff, gateway, sharedCounts, close };
}
