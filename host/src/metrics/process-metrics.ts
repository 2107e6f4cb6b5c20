import type { MetricsPage } from "@hostledger/rpc";
import { createMetrics, type Logger, type Metrics } from "@hostledger/runtime";

import type { Configuration } from "../configuration/index.ts";
import { secretsOf } from "../service-context.ts";

/** The metrics of a process that starts. */
export function openMetrics(logger: Logger): Metrics {
  return createMetrics({
    onUnreadable: (name, error) => {
      logger.warn({ err: error, metric: name }, "a figure could not be read and is left out");
    },
  });
}

/** How they are shown: to staff, and to whoever collects them under a credential that opens nothing else. */
export function metricsPageOf(metrics: Metrics, configuration: Configuration): MetricsPage {
  const { staffCredential } = secretsOf(configuration);
  const { metricsToken } = configuration;
  return { metrics, credentials: [staffCredential, ...(metricsToken === undefined ? [] : [metricsToken])] };
}
