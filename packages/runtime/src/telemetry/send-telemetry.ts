import { resourceFromAttributes } from "@opentelemetry/resources";
import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from "@opentelemetry/sdk-metrics";

import { randomIds } from "../ids.ts";
import { backgroundTiming, monotonicMilliseconds } from "../async/timing.ts";
import { lastSendingMs, type Sending, sendSpans } from "./send-spans.ts";
import type { Telemetry, TelemetryOptions } from "./telemetry.port.ts";
import { every, within } from "../async/limits.ts";
import { defined } from "../defined.ts";
import type { MetricFamily, Metrics } from "../metrics.ts";

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

/** Exports the metrics to a collector at an interval and once at the end. */
function sendMetrics(
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

/** Period of the values. */
export interface Period {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Converts a Prometheus metric to OTLP; undefined for kinds not used here. */
export function metricDataOf(family: MetricFamily, period: Period): MetricData | undefined {
  const descriptor = {
    name: family.name,
    description: family.help,
    unit: unitOf(family.name),
    valueType: ValueType.DOUBLE,
  };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  // At run time prom-client gives the type as text, unlike its declared enum.
  switch (String(family.type)) {
    case "counter":
      return {
        ...common,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: pointsOf(family, period),
      };
    case "gauge":
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: pointsOf(family, period) };
    case "histogram":
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(family, period) };
    default:
      return undefined;
  }
}

function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return "s";
  return /_bytes(_total)?$/.test(name) ? "By" : "1";
}

function pointsOf({ values }: MetricFamily, period: Period): DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...period, attributes: attributesOf(labels), value }));
}

/** Converts histograms: Prometheus's buckets are cumulative, with sum and count as separate values. */
function histogramsOf({ name, values }: MetricFamily, period: Period): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _bound, ...labels } }) => JSON.stringify(labels));
  return [...series.values()].map((members) => {
    const buckets = members.filter(({ labels }) => labels.le !== undefined);
    const boundaries = buckets.map(({ labels }) => Number(labels.le)).filter(Number.isFinite);
    const cumulated = buckets.map(({ value }) => value);
    const { le: _bound, ...labels } = members[0]?.labels ?? {};
    const valueNamed = (suffix: string): number =>
      members.find((member) => "metricName" in member && member.metricName === `${name}_${suffix}`)?.value ??
      0;
    return {
      ...period,
      attributes: attributesOf(labels),
      value: {
        buckets: {
          boundaries,
          counts: cumulated.map((count, index) => count - (cumulated[index - 1] ?? 0)),
        },
        sum: valueNamed("sum"),
        count: valueNamed("count"),
      },
    };
  });
}

function attributesOf(labels: Readonly<Record<string, string | number | undefined>>): Attributes {
  return { ...labels };
}
