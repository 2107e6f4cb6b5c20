import { AggregationTemporality, DataPointType } from "@opentelemetry/sdk-metrics";
import { expect, it } from "vitest";

import { createMetrics } from "../metrics.ts";
import { metricDataOf, type Period } from "./send-telemetry.ts";

const period: Period = { startTime: [1, 0], endTime: [2, 0] };

it("writes a histogram with the counts of single buckets", async () => {
  const metrics = createMetrics({ process: false });
  const seconds = metrics.histogram("hostledger_x_seconds", "How long.", ["outcome"], [1, 5]);
  for (const value of [0.5, 1, 3, 100]) seconds.observe({ outcome: "done" }, value);
  seconds.observe({ outcome: "refused" }, 2);
  const [family] = await metrics.readings();
  expect(family && metricDataOf(family, period)).toMatchObject({
    descriptor: { name: "hostledger_x_seconds", description: "How long.", unit: "s" },
    dataPointType: DataPointType.HISTOGRAM,
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPoints: [
      {
        ...period,
        attributes: { outcome: "done" },
        value: { buckets: { boundaries: [1, 5], counts: [2, 1, 1] }, sum: 104.5, count: 4 },
      },
      {
        attributes: { outcome: "refused" },
        value: { buckets: { boundaries: [1, 5], counts: [0, 1, 0] }, sum: 2, count: 1 },
      },
    ],
  });
});

it("writes counters and gauges, and leaves out invalid numbers", async () => {
  const metrics = createMetrics({ process: false });
  metrics.counter("hostledger_things_total", "Things.", ["kind"]).inc({ kind: "a" }, 3);
  metrics.gauge("hostledger_wal_bytes", "Size.", () => 7);
  metrics.gauge("hostledger_nothing", "Nothing.", () => NaN);
  const data = (await metrics.readings()).map((family) => metricDataOf(family, period));
  expect(data).toMatchObject([
    {
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [{ attributes: { kind: "a" }, value: 3 }],
    },
    {
      descriptor: { unit: "By" },
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ attributes: {}, value: 7 }],
    },
    { dataPoints: [] },
  ]);
});

it("reads every metric of a process", async () => {
  const families = await createMetrics().readings();
  expect(families.length).toBeGreaterThan(10);
  for (const family of families) expect(metricDataOf(family, period), family.name).toBeDefined();
});
