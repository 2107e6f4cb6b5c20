import { z } from "zod";

import { oneOf, settings, text, wholeNumber } from "../settings.ts";

const address = () =>
  text("must be an address such as http://collector:4318", /^https?:\/\/[^\s?#]{1,2000}$/);

const milliseconds = (least: number) => wholeNumber(least, 600_000);

const headersRule = "must be name=value pairs separated by commas, the values percent-encoded";

/** OpenTelemetry's list of headers: `name=value,name=value`. */
const headers = text(headersRule, /^[\x20-\x7e]{1,8192}$/).transform((list, context) => {
  const pairs = list.split(",").map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(pair) ?? []);
  try {
    return Object.fromEntries(
      pairs.map(([, name, value]) => {
        if (name === undefined || value === undefined) throw new URIError("no pair");
        return [name, decodeURIComponent(value.trim())];
      }),
    );
  } catch {
    context.addIssue({ code: "custom", message: headersRule });
    return z.NEVER;
  }
});

/** Settings of OTLP export, named as in OpenTelemetry. */
export const telemetrySettings = {
  otlpEndpoint: address().optional().register(settings, {
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    meaning: "OpenTelemetry collector for traces and metrics over OTLP/HTTP; without it nothing is sent",
  }),
  otlpTracesEndpoint: address().optional().register(settings, {
    variable: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    meaning: "address for traces with its path; by default /v1/traces of the collector",
  }),
  otlpMetricsEndpoint: address().optional().register(settings, {
    variable: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    meaning: "address for metrics with its path; by default /v1/metrics of the collector",
  }),
  otlpHeaders: headers.optional().register(settings, {
    variable: "OTEL_EXPORTER_OTLP_HEADERS",
    meaning: "headers of each request, as name=value,name=value with percent-encoded values",
    secret: true,
  }),
  otlpProtocol: oneOf("http/json").default("http/json").register(settings, {
    variable: "OTEL_EXPORTER_OTLP_PROTOCOL",
    meaning: "format of traces and metrics",
  }),
  otlpTimeoutMs: milliseconds(1).default(10_000).register(settings, {
    variable: "OTEL_EXPORTER_OTLP_TIMEOUT",
    meaning: "time limit for sending one batch, in milliseconds",
  }),
  spanDelayMs: milliseconds(1).default(5_000).register(settings, {
    variable: "OTEL_BSP_SCHEDULE_DELAY",
    meaning: "time between batches of spans, in milliseconds",
  }),
  metricIntervalMs: milliseconds(10).default(60_000).register(settings, {
    variable: "OTEL_METRIC_EXPORT_INTERVAL",
    meaning: "time between batches of metrics, in milliseconds",
  }),
  serviceName: text("must be 1 to 255 visible ASCII characters", /^[\x21-\x7e]{1,255}$/)
    .optional()
    .register(settings, {
      variable: "OTEL_SERVICE_NAME",
      meaning: "name of this part in traces and metrics; by default hostledger, hostledger-domain and so on",
    }),
  traceSampler: oneOf(
    "parentbased_always_on",
    "always_on",
    "parentbased_always_off",
    "always_off",
    "parentbased_traceidratio",
    "traceidratio",
  )
    .default("parentbased_always_on")
    .register(settings, {
      variable: "OTEL_TRACES_SAMPLER",
      meaning: "which traces are sent; the trace id alone decides",
    }),
  traceRatio: text("must be a number from 0 to 1", /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/)
    .transform(Number)
    .default(1)
    .register(settings, {
      variable: "OTEL_TRACES_SAMPLER_ARG",
      meaning: "share of traces that a ratio sampler sends",
    }),
  telemetryDisabled: oneOf("true", "false").default("false").register(settings, {
    variable: "OTEL_SDK_DISABLED",
    meaning: "true sends nothing",
  }),
};

export type TelemetryConfiguration = Readonly<z.output<z.ZodObject<typeof telemetrySettings>>>;
