import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from "prom-client";

export interface Reading<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** Metrics of a process in the Prometheus text format. Names start with `hostledger_`. */
export interface Metrics {
  /** Creates a counter. @param name ends in `_total` */
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  /** Adds a gauge. @param read called on every scrape; must be fast */
  gauge(name: string, help: string, read: () => number): void;
  /** Adds a gauge with labels. Unreadable values are omitted and reported. */
  gauges<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: () => readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>,
  ): void;
  /** Creates a histogram of durations, or of sizes if `buckets` are given. @param name ends in its unit */
  histogram<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
  readonly contentType: string;
  /** Returns all metrics for `GET /metrics`. */
  text(): Promise<string>;
  /** Returns all metrics for exporting. */
  readings(): Promise<readonly MetricFamily[]>;
}

/** A metric with its values, in prom-client's form. */
export type MetricFamily = MetricObjectWithValues<MetricValue<string>>;

/** Buckets from 0.5 ms, about one durable append, to the maximum time of a request. */
const durationBucketsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

export interface MetricsOptions {
  /** True adds memory, event loop delay and garbage collection. Default: true; false in tests. */
  readonly process?: boolean;
  /** Called for a gauge that could not be read; other gauges are shown. */
  readonly onUnreadable?: (name: string, error: unknown) => void;
}

/** Metrics of the process, created once on demand, because each would observe the garbage collector for ever. */
let ofProcess: Registry | undefined;

function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Creates metrics with their own registry, so that instances and tests share no counts. */
export function createMetrics({ process = true, onUnreadable }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    contentType: registry.contentType,
    async text() {
      const own = await registry.metrics();
      return process ? own + (await processRegistry().metrics()) : own;
    },
    async readings() {
      const own = await registry.getMetricsAsJSON();
      return process ? [...own, ...(await processRegistry().getMetricsAsJSON())] : own;
    },
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    histogram: (name, help, labels = [], buckets = durationBucketsSeconds) =>
      new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers }),
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers,
        collect: () => {
          gauge.set(read());
        },
      });
    },
    gauges(name, help, labels, read) {
      const gauge = new Gauge({
        name,
        help,
        labelNames: labels,
        registers,
        async collect() {
          gauge.reset();
          try {
            for (const { labels: of, value } of await read()) gauge.set(of, value);
          } catch (error) {
            onUnreadable?.(name, error);
          }
        },
      });
    },
  };
}
