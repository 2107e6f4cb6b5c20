import type { Telemetry, TelemetryOptions } from "./telemetry.port.ts";

/** Starts exporting to the configured collectors. Without a collector the SDK is not even loaded. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { otlpEndpoint, otlpTracesEndpoint, otlpMetricsEndpoint, telemetryDisabled } = options.configuration;
  const base = otlpEndpoint?.replace(/\/$/, "");
  const of = (signal: string) => (base === undefined ? undefined : `${base}/v1/${signal}`);
  const tracesUrl = otlpTracesEndpoint ?? of("traces");
  const metricsUrl = otlpMetricsEndpoint ?? of("metrics");
  if (telemetryDisabled === "true" || (tracesUrl === undefined && metricsUrl === undefined))
    return { tracing: undefined, close: () => Promise.resolve() };
  const { sendTelemetry } = await import("./send-telemetry.ts");
  return sendTelemetry(options, { tracesUrl, metricsUrl });
}
