import { describe, expect, it } from "vitest";

import { createMetrics } from "./metrics.ts";

describe("createMetrics", () => {
  it("shows counters, gauges and histograms in the Prometheus text format", async () => {
    const metrics = createMetrics({ process: false });
    let waiting = 1;
    metrics.counter("hostledger_requests_total", "Requests.", ["method"]).inc({ method: "GET" }, 2);
    metrics.histogram("hostledger_append_seconds", "Durable appends.").observe(0.002);
    metrics.gauge("hostledger_queue_length", "Commands that wait.", () => waiting);
    waiting = 7;

    const text = await metrics.text();
    expect(metrics.contentType).toContain("text/plain");
    expect(text).toContain('hostledger_requests_total{method="GET"} 2');
    expect(text).toContain('hostledger_append_seconds_bucket{le="0.001"} 0');
    expect(text).toContain('hostledger_append_seconds_bucket{le="0.0025"} 1');
    expect(text).toContain("hostledger_queue_length 7");
  });

  it("refuses a second metric of one name", () => {
    const metrics = createMetrics({ process: false });
    metrics.counter("hostledger_requests_total", "Requests.");
    expect(() => metrics.counter("hostledger_requests_total", "Requests.")).toThrow(
      /already been registered/,
    );
  });

  it("shares nothing with another registry, and shows the process itself by default", async () => {
    createMetrics().counter("hostledger_requests_total", "Requests.");
    const text = await createMetrics().text();
    expect(text).toContain("process_resident_memory_bytes");
    expect(text).not.toContain("hostledger_requests_total");
  });

  it("shows a value for each present item, and leaves out unreadable ones", async () => {
    const unreadable: string[] = [];
    const metrics = createMetrics({ process: false, onUnreadable: (name) => unreadable.push(name) });
    let names = ["a", "b"];
    const reading = (name: string) => ({ labels: { name }, value: name.length });
    metrics.gauges("hostledger_things", "Things.", ["name"], () => names.map(reading));
    metrics.gauges("hostledger_broken", "Broken.", ["name"], () => Promise.reject(new Error("no answer")));

    expect(await metrics.text()).toContain('hostledger_things{name="b"} 1');
    expect(unreadable).toEqual(["hostledger_broken"]);
    names = ["a"];
    const text = await metrics.text();
    expect(text).toContain('hostledger_things{name="a"} 1');
    expect(text).not.toContain('name="b"');
  });

  it("measures sizes in buckets of their own", async () => {
    const metrics = createMetrics({ process: false });
    metrics.histogram("hostledger_batch_events", "Events.", [], [1, 10]).observe(3);
    const text = await metrics.text();
    expect(text).toContain('hostledger_batch_events_bucket{le="1"} 0');
    expect(text).toContain('hostledger_batch_events_bucket{le="10"} 1');
  });
});
