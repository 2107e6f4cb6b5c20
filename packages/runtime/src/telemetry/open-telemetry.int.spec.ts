import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { createConfigurationReader } from "../configuration.ts";
import { telemetrySettings } from "./telemetry.settings.ts";

const reader = createConfigurationReader(z.object(telemetrySettings));

/** Module hooks that print which parts of OpenTelemetry's SDK are loaded. */
const listening = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      if (/@opentelemetry\\/(sdk|exporter|resources)/.test(specifier)) console.log(specifier);
      return next(specifier, context);
    },
  });
`)}`;

/** Returns the SDK modules that the whole program loads under this environment. */
async function loadedUnder(environment: Readonly<Record<string, string>>): Promise<string> {
  const root = join(import.meta.dirname, "../../../..");
  const at = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);
  const program = `
    const { openTelemetry, silentLogger, createMetrics } = await import(${at("packages/runtime/src/index.ts")});
    const { readConfiguration } = await import(${at("host/src/configuration/index.ts")});
    await import(${at("host/src/index.ts")});
    const telemetry = await openTelemetry({
      configuration: readConfiguration(${JSON.stringify(environment)}),
      serviceName: "hostledger", logger: silentLogger(), metrics: createMetrics(),
    });
    await telemetry.close();
  `;
  const options = ["--import", listening, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root });
  return stdout;
}

describe("telemetry over OTLP", () => {
  it("loads nothing without a collector, or if it is switched off", async () => {
    expect(await loadedUnder({})).toBe("");
    const off = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_SDK_DISABLED: "true" };
    expect(await loadedUnder(off)).toBe("");
  });

  it("loads the exporter if a collector is configured", async () => {
    const loaded = await loadedUnder({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9/v1/traces" });
    expect(loaded).toContain("@opentelemetry/exporter-trace-otlp-http");
  });
});

describe("its settings", () => {
  it("are OpenTelemetry's own", () => {
    const read = reader.read({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/otlp",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20a=b, x-tenant = 1",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
    });
    expect(read).toMatchObject({
      otlpEndpoint: "https://collector.example/otlp",
      otlpHeaders: { authorization: "Bearer a=b", "x-tenant": "1" },
      traceSampler: "parentbased_traceidratio",
      traceRatio: 0.25,
    });
  });

  it("hide the headers, which hold credentials", () => {
    const configuration = reader.read({ OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret" });
    expect(JSON.stringify(reader.describe(configuration))).not.toContain("authorization=");
    expect(JSON.stringify(reader.describe(configuration))).not.toContain('"secret"');
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", `http://${"x".repeat(3_000)}`],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://collector/?x"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=%zz"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=b\r\nx-other: c"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "0"],
    ["OTEL_BSP_SCHEDULE_DELAY", "-1"],
    ["OTEL_METRIC_EXPORT_INTERVAL", "1"],
    ["OTEL_SERVICE_NAME", "two words"],
    ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["OTEL_SDK_DISABLED", "yes"],
  ])("refuse %s=%s", (variable, value) => {
    expect(() => reader.read({ [variable]: value })).toThrow(new RegExp(`^${variable} must `));
  });

  it("do not replace our misspelt settings", () => {
    expect(() => reader.read({ HOSTLEDGER_SERVICE_NAME: "x" })).toThrow(
      "HOSTLEDGER_SERVICE_NAME is not a setting.",
    );
  });
});
