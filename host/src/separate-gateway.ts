import { createClient, type Transport } from "@connectrpc/connect";
import { startGateway } from "@hostledger/gateway";
import { health } from "@hostledger/protocol";
import { createHealth, forwardingInterceptors, startRpcServer } from "@hostledger/rpc";
import { defined, createShutdown, randomIds, startOrClose, systemClock, within } from "@hostledger/runtime";

import { openCertificates, staffTls } from "./certificates.ts";
import { refuseClearText } from "./clear-text.ts";
import { connectionsOf, failureCounterOf, sharedCountsOf } from "./listeners.ts";
import type { StartOptions } from "./host-context.ts";
import { gatewayMetricsPageOf, openObservation } from "./metrics/process-metrics.ts";
import { openPartKeys } from "./service-keys/open-service-keys.ts";
import { clientsOf, createPeers } from "./peers.ts";
import type { Readiness } from "./readiness.ts";
import { sellerOf } from "./seller.ts";
import { serviceNames, type ServiceName } from "./services.ts";
import { metricsReadersAt } from "./staff/metrics-readers.ts";
import { staffForwarding } from "./staff-forwarding.ts";
import type { SeparatePart } from "./separate-service.ts";
import { graceMs, lingerMs, requestTimeoutMs, staffDeadline, shutdownLimits } from "./time-limits.ts";

/** A gateway that runs alone. */
export interface SeparateGateway extends SeparatePart {
  readonly adminUrl: string;
}

/** How long a service is asked whether it serves, in milliseconds. */
const probeMs = 2_000;

/**
 * Starts the REST API alone, and beside it a staff listener that passes every call on. It holds no state: any number of them
 * may stand behind a load balancer, which asks `/readyz`.
 */
export async function startSeparateGateway(options: StartOptions): Promise<SeparateGateway> {
  const { configuration, logger } = options;
  const { host, port, adminHost, adminPort, rateLimit, trustedProxies } = configuration;
  refuseClearText(configuration, ["rest", "admin"]);
  const connections = connectionsOf(configuration);
  const certificates = openCertificates(options);
  const shutdown = createShutdown({ logger, ...shutdownLimits });
  return startOrClose(shutdown, options.stopping, async () => {
    const { metrics, tracing } = await openObservation({ ...options, shutdown }, "hostledger-gateway");
    const hostContext = { ...options, certificates, shutdown, metrics, tracing };
    const traced = defined({ tracing });
    const clock = systemClock(configuration.clockOffsetMs);
    const callers = openPartKeys("gateway", { configuration, clock, logger })("gateway");
    const peers = createPeers(hostContext);
    const transports = {
      account: peers("account"),
      domain: peers("domain"),
      server: peers("server"),
      support: peers("support"),
    };
    const sharedCounts = sharedCountsOf(hostContext);
    const seller = sellerOf(configuration);
    const audit = defined({ audit: configuration.auditUrls === undefined ? undefined : peers("audit") });
    const staff = await startRpcServer({
      host: adminHost,
      port: adminPort,
      services: staffForwarding({ ...transports, ...audit }, seller),
      interceptors: forwardingInterceptors({ logger, deadline: staffDeadline, ...traced }),
      health: createHealth(),
      readiness: () => readinessOf(transports),
      logger,
      metricsPage: gatewayMetricsPageOf(metrics, configuration, metricsReadersAt(transports.account)),
      countFailure: failureCounterOf(configuration, sharedCounts),
      ...defined({ tls: staffTls(certificates.current()) }),
    });
    certificates.onRenewed((tls) => {
      staff.renewTls(staffTls(tls));
    });
    shutdown.add("staff listener", () => staff.close(graceMs));
    const gateway = await startGateway({
      host,
      port,
      connections,
      ...clientsOf((name) => transports[name]),
      callers,
      instanceId: randomIds.uuid(),
      requestsPerMinute: rateLimit,
      ...defined({ trustedProxies, sharedCounts }),
      seller,
      logger,
      metrics,
      ids: randomIds,
      readiness: () => readinessOf(transports),
      requestTimeoutMs,
      ...traced,
    });
    shutdown.add("gateway", () => gateway.close(graceMs, lingerMs));
    return {
      url: gateway.url,
      adminUrl: staff.url,
      close: async () => {
        await shutdown.run();
      },
    };
  });
}

/** Ready means: every service says that it serves. */
async function readinessOf(transports: Readonly<Record<ServiceName, Transport>>): Promise<Readiness> {
  const parts = await Promise.all(
    serviceNames.map(async (name): Promise<[string, string]> => [name, await stateOf(transports[name])]),
  );
  return { ready: parts.every(([, state]) => state === "serving"), parts: Object.fromEntries(parts) };
}

async function stateOf(transport: Transport): Promise<string> {
  try {
    const answered = createClient(health.Health, transport)
      .check({ service: "" }, { timeoutMs: probeMs })
      .then(({ status }) =>
        status === health.HealthCheckResponse_ServingStatus.SERVING ? "serving" : "starting",
      );
    return await within(probeMs, answered, () => "unreachable");
  } catch {
    return "unreachable";
  }
}
