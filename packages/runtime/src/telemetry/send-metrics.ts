import type { HrTime } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";

import { every, within } from "../async/limits.ts";
import { backgroundTiming } from "../async/timing.ts";
import { defined } from "../defined.ts";
import type { Metrics } from "../metrics.ts";
import { metricDataOf } from "./metric-data.ts";
import { lastSendingMs, type Sending } from "./send-spans.ts";

/** Exports the metrics to a collector at an interval and once at the end. */
export function sendMetrics(
  url: string,
  { configuration, resource, onLost }: Sending,
  metrics: Pick<Metrics, "readings">,
): { close(): Promise<void> } {
  const { otlpHeaders, otlpTimeoutMs, metricIntervalMs } = configuration;
  const exporter = new OTLPMetricExporter({
    url,
    timeoutMillis: otlpTimeoutMs,
    ...defined({ headers: otlpHeaders }),
  });
  const startTime = timeNow();
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    const period = { startTime, endTime: timeNow() };
    const families = await metrics.readings();
    const data = families.flatMap((family) => metricDataOf(family, period) ?? []);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const scopeMetrics = [{ scope: { name: "hostledger" }, metrics: data }];
    exporter.export({ resource, scopeMetrics }, ({ error }) => {
      if (error !== undefined) onLost("metrics", error);
      resolve(undefined);
    });
    await promise;
  }

  /** Waits for a running export; the next export includes its values anyway. */
  async function sendOne(): Promise<void> {
    sending ??= send()
      .catch((error: unknown) => {
        onLost("metrics", error);
      })
      .finally(() => {
        sending = undefined;
      });
    await sending;
  }

  const stop = every(metricIntervalMs, () => void sendOne(), backgroundTiming);
  return {
    async close() {
      stop();
      await within(
        lastSendingMs,
        sendOne().then(() => exporter.shutdown()),
        () => undefined,
      );
    },
  };
}

function timeNow(): HrTime {
  const nowMs = Date.now();
  return [Math.floor(nowMs / 1_000), (nowMs % 1_000) * 1_000_000];
}
