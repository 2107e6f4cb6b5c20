import type { MetricsPage } from "@hostledger/rpc";
import { createMetrics, openTelemetry, type Logger, type Metrics } from "@hostledger/runtime";

import type { Configuration } from "../configuration/index.ts";
import type { HostContext } from "../host-context.ts";
import type { FindReader } from "../staff/metrics-readers.ts";
import { staffCredentialOf } from "../service-context.ts";

function openMetrics(logger: Logger): Metrics {
  return createMetrics({
    onUnreadable: (name, error) => {
      logger.warn({ err: error, metric: name }, "a figure could not be read and is left out");
    },
  });
}

/**
 * Opens metrics and tracing of a process.
 * @param serviceName name at the collector, unless configured otherwise.
 */
export async function openObservation(
  { configuration, logger, shutdown }: Pick<HostContext, "configuration" | "logger" | "shutdown">,
  serviceName: string,
): Promise<Pick<HostContext, "metrics" | "tracing">> {
  const metrics = openMetrics(logger);
  const telemetry = await openTelemetry({ configuration, serviceName, logger, metrics });
  shutdown.add("telemetry", () => telemetry.close());
  return { metrics, tracing: telemetry.tracing };
}

/** Returns the metrics page for staff, and for a collector with a credential that allows nothing else. */
export function metricsPageOf(
  metrics: Metrics,
  configuration: Configuration,
  findReader: FindReader,
): MetricsPage {
  const adminToken = staffCredentialOf(configuration);
  return gatewayMetricsPageOf(metrics, { ...configuration, adminToken }, findReader);
}

/** The same of a gateway, which has no credential of staff unless somebody gave it one, and then makes none. */
export function gatewayMetricsPageOf(
  metrics: Metrics,
  { adminToken, metricsToken }: Pick<Configuration, "adminToken" | "metricsToken">,
  findReader: FindReader,
): MetricsPage {
  return { metrics, credentials: [adminToken, metricsToken].filter((one) => one !== undefined), findReader };
}
