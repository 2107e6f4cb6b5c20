import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** The figures that a process shows of itself, in the Prometheus text format. Names start with `hostledger_`. */
export interface Metrics {
  /** Counts things that happen. @param name ends in `_total`. */
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  /** Shows a value at the moment of looking. @param read called at every look; must be quick. */
  gauge(name: string, help: string, read: () => number): void;
  /** Measures durations. @param name ends in `_seconds`. */
  histogram<Label extends string>(name: string, help: string, labels?: readonly Label[]): Histogram<Label>;
  /** The `Content-Type` of `text()`. */
  readonly contentType: string;
  /** Everything, as an answer to `GET /metrics`. */
  text(): Promise<string>;
}

/** From half a millisecond, about one durable append, to the longest time a client is kept waiting. */
const durationBucketsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** How the metrics of a process are made. */
export interface MetricsOptions {
  /** Shows memory, event loop delay and garbage collection too. Default: true; tests go without. */
  readonly process?: boolean;
}

/** A registry of its own: nothing is shared between two processes' parts, or between two tests. */
export function createMetrics({ process = true }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (process) collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    histogram: (name, help, labels = []) =>
      new Histogram({ name, help, labelNames: labels, buckets: durationBucketsSeconds, registers }),
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
  };
}
