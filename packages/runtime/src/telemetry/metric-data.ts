import { ValueType, type Attributes, type HrTime } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
} from "@opentelemetry/sdk-metrics";

import type { MetricFamily } from "../metrics.ts";

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
