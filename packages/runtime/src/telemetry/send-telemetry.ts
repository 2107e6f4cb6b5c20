import { resourceFromAttributes } from "@opentelemetry/resources";

import { randomIds } from "../ids.ts";
import { monotonicMilliseconds } from "../async/timing.ts";
import { sendMetrics } from "./send-metrics.ts";
import { sendSpans } from "./send-spans.ts";
import type { Telemetry, TelemetryOptions } from "./telemetry.port.ts";

/** Addresses of the signals; a signal without an address is not sent. */
export interface TelemetryAddresses {
  readonly tracesUrl: string | undefined;
  readonly metricsUrl: string | undefined;
}

/** Milliseconds between warnings about an unreachable collector. */
const warningPauseMs = 60_000;

/** Exports traces and metrics. Imported only if a collector is configured, because the SDK is large. */
export function sendTelemetry(
  { configuration, serviceName, logger, metrics }: TelemetryOptions,
  { tracesUrl, metricsUrl }: TelemetryAddresses,
): Telemetry {
  let warnedMs = -Infinity;
  const onLost = (signal: string, error: unknown): void => {
    if (monotonicMilliseconds() - warnedMs < warningPauseMs) return;
    warnedMs = monotonicMilliseconds();
    logger.warn({ signal, err: error }, "the collector took no telemetry; what was to be sent is lost");
  };
  const sending = {
    configuration,
    resource: resourceFromAttributes({
      "service.name": configuration.serviceName ?? serviceName,
      "service.instance.id": randomIds.uuid(),
    }),
    onLost,
  };
  const tracing = tracesUrl === undefined ? undefined : sendSpans(tracesUrl, sending);
  const measuring = metricsUrl === undefined ? undefined : sendMetrics(metricsUrl, sending, metrics);
  return {
    tracing,
    async close() {
      await Promise.all([tracing?.close(), measuring?.close()]);
    },
  };
}
