import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";

/** The files of deploy/ as Prometheus reads them (Debian's promtool; tools/setup installs it). */
const source = join(import.meta.dirname, "../../deploy/prometheus");

const dashboardSchema = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
});

/** A copy of the files, with the secret that the configuration names beside them. */
function copied(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => {
    directory.remove();
  });
  const folder = join(directory.path, "prometheus");
  cpSync(source, folder, { recursive: true });
  mkdirSync(join(directory.path, "secrets"));
  writeFileSync(join(directory.path, "secrets/HOSTLEDGER_METRICS_TOKEN"), "a-token-of-a-test");
  return folder;
}

function promtool(cwd: string, ...line: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("promtool", line, { cwd, encoding: "utf8" });
  return { status, said: stdout + stderr };
}

it("Prometheus accepts the configuration and the rules", () => {
  const { status, said } = promtool(copied(), "check", "config", "prometheus.yaml");
  expect(said).toMatch(/SUCCESS: \d\d rules found/);
  expect(status).toBe(0);
});

it("each alert fires on its figures, and none on a normal day", () => {
  const { status, said } = promtool(copied(), "test", "rules", "alerts.test.yaml");
  expect(said).toContain("SUCCESS");
  expect(status).toBe(0);
});

it("the check detects an alert that does not fire", () => {
  const folder = copied();
  const rules = readFileSync(join(folder, "alerts.yaml"), "utf8");
  writeFileSync(
    join(folder, "alerts.yaml"),
    rules.replace('hostledger_audit_log_state{state="stopped"} == 1', "vector(0) == 1"),
  );
  const { status, said } = promtool(folder, "test", "rules", "alerts.test.yaml");
  expect(said).toContain("AuditLogStopped");
  expect(status).not.toBe(0);
});

it("Prometheus accepts the dashboard's queries", () => {
  const { panels } = dashboardSchema.parse(
    JSON.parse(readFileSync(join(source, "../grafana/hostledger.json"), "utf8")),
  );
  const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(asked.length).toBeGreaterThan(20);
  // A rule that records each is a way to have its words read; JSON is YAML.
  const rules = asked.map((expr, index) => ({ record: `asked:${String(index)}`, expr }));
  const folder = copied();
  writeFileSync(join(folder, "asked.yaml"), JSON.stringify({ groups: [{ name: "asked", rules }] }));
  const { status, said } = promtool(folder, "check", "rules", "asked.yaml");
  expect(said).toContain(`SUCCESS: ${String(asked.length)} rules found`);
  expect(status).toBe(0);
});
