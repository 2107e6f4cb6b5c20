import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { listening } from "@hostledger/runtime/testing";
import { z } from "zod";

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });

const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(attribute).default([]),
  status: z.object({ code: z.number().optional() }).default({}),
});

const metric = z.looseObject({ name: z.string() });

const resource = z.object({ attributes: z.array(attribute) });

/** OTLP's JSON, as far as tests look at it. */
const telemetry = z.object({
  resourceSpans: z
    .array(z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(span) })) }))
    .default([]),
  resourceMetrics: z
    .array(z.object({ resource, scopeMetrics: z.array(z.object({ metrics: z.array(metric) })) }))
    .default([]),
});

/** A span as it arrived, with the name of the part that it came from. */
export type ArrivedSpan = z.output<typeof span> & { readonly service: string };

/** A collector of OTLP over HTTP. */
export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly bodies: readonly string[];
  readonly headers: readonly IncomingHttpHeaders[];
  spans(): readonly ArrivedSpan[];
  metrics(): readonly z.output<typeof metric>[];
}

/** Starts a collector that ends with the test. @param answer handler of requests; default: accepts everything. */
export async function startCollector(
  answer: (response: ServerResponse) => void = (response) => response.end("{}"),
): Promise<Collector> {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      headers.push(request.headers);
      response.setHeader("content-type", "application/json");
      answer(response);
    });
  });
  const url = await listening(server);
  const parsed = () => bodies.map((body) => telemetry.parse(JSON.parse(body)));
  return {
    url,
    bodies,
    headers,
    spans: () =>
      parsed().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource: { attributes }, scopeSpans }) => {
          const service = String(attributes.find(({ key }) => key === "service.name")?.value.stringValue);
          return scopeSpans.flatMap(({ spans }) => spans.map((each) => ({ ...each, service })));
        }),
      ),
    metrics: () =>
      parsed().flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
      ),
  };
}

/** Returns the names of a span and its parents in its trace, outermost first. */
export function pathOf(given: ArrivedSpan, spans: readonly ArrivedSpan[]): string {
  const parent = spans.find(({ spanId }) => spanId === given.parentSpanId);
  const names = parent === undefined ? given.name : `${pathOf(parent, spans)} > ${given.name}`;
  return parent === undefined && given.parentSpanId !== undefined ? `? > ${names}` : names;
}
