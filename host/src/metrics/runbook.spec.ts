import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { hostMetrics } from "./metric-names.fixture.ts";

const root = join(import.meta.dirname, "../../..");
const rules = readFileSync(join(root, "deploy/prometheus/alerts.yaml"), "utf8");
const tests = readFileSync(join(root, "deploy/prometheus/alerts.test.yaml"), "utf8");
const runbook = readFileSync(join(root, "docs/runbook.md"), "utf8");

const dashboard = z
  .object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })) })
  .parse(JSON.parse(readFileSync(join(root, "deploy/grafana/hostledger.json"), "utf8")));

const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
/** Each section by its heading. */
const sections = new Map(
  runbook
    .split(/^## /mu)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section]),
);

/** Returns the metrics that a text names, without the suffixes of histograms. */
function metricsIn(text: string): readonly string[] {
  const names = [...text.matchAll(/hostledger_[a-z_]+/g)].map(([name]) => name);
  return [...new Set(names)].map((name) => name.replace(/_(seconds|events)_(bucket|count|sum)$/, "_$1"));
}

describe("the runbook", () => {
  it("has a section for each alert, in the same order, and no other", () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect([...sections.keys()]).toEqual(alerts);
  });

  it.each(alerts)("explains %s, and the remedy in steps", (alert) => {
    expect(sections.get(alert)).toMatch(/^\w+\n\n[^\n]{40}[\s\S]+^1\. /mu);
  });

  it("points to existing sections", () => {
    const anchors = alerts.map((alert) => alert.toLowerCase());
    const named = [...runbook.matchAll(/\]\(#([a-z]+)\)/g)].map(([, anchor = ""]) => anchor);
    expect(named.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  });
});

describe("the alerts", () => {
  it("name metrics that an instance shows", () => {
    const shown: readonly string[] = hostMetrics;
    expect(metricsIn(rules).filter((name) => !shown.includes(name))).toEqual([]);
    expect(metricsIn(rules).length).toBeGreaterThan(10);
  });

  it("are each seen to fire by a test of promtool", () => {
    expect([...tests.matchAll(/alertname="(\w+)"/g)].map(([, name]) => name)).toEqual(alerts);
  });
});

describe("the dashboard", () => {
  it("shows every metric of ours except those that others contain, and no missing one", () => {
    const shown = metricsIn(
      dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n"),
    );
    // Appends that were stored are counted by their seconds, and those of commands are among them.
    const contained = ["hostledger_append_events", "hostledger_command_appends"];
    expect([...new Set([...shown, ...contained])].toSorted()).toEqual([...hostMetrics]);
  });
});
