import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from "prom-client";

/** A value of one thing among several. */
export interface Reading<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** The figures that a process shows of itself, in the Prometheus text format. Names start with `hostledger_`. */
export interface Metrics {
  /** Counts things that happen. @param name ends in `_total`. */
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  /** Shows a value at the moment of looking. @param read called at every look; must be quick. */
  gauge(name: string, help: string, read: () => number): void;
  /** Shows a value for each of some things at the moment of looking. What cannot be read is left out, and told. */
  gauges<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: () => readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>,
  ): void;
  /**
   * Measures durations, or sizes where `buckets` are given.
   * @param name ends in `_seconds`, or in the unit of the sizes.
   */
  histogram<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
  /** The `Content-Type` of `text()`. */
  readonly contentType: string;
  /** Everything, as an answer to `GET /metrics`. */
  text(): Promise<string>;
  /** Everything, for whoever sends it elsewhere. */
  readings(): Promise<readonly MetricFamily[]>;
}

/** One metric with its present values, as prom-client tells them. */
export type MetricFamily = MetricObjectWithValues<MetricValue<string>>;

/** From half a millisecond, about one durable append, to the longest time a client is kept waiting. */
const durationBucketsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** How the metrics of a process are made. */
export interface MetricsOptions {
  /** Shows memory, event loop delay and garbage collection too. Default: true; tests go without. */
  readonly process?: boolean;
  /** Told of a gauge that could not be read; the others are shown. */
  readonly onUnreadable?: (name: string, error: unknown) => void;
}

/** Made when it is first wanted, and once: each would watch the garbage collector of the process for ever. */
let ofProcess: Registry | undefined;

function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** A registry of its own: of what is counted, nothing is shared between two instances in a process, or between two tests. */
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
