import { AsyncLocalStorage } from "node:async_hooks";

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";
import type { Span, SpanContext, Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
  type Sampler,
  type SpanExporter,
} from "@opentelemetry/sdk-trace";

import { within } from "../async/limits.ts";
import { defined } from "../defined.ts";
import {
  readTraceparent,
  spanIdOf,
  traceIdOf,
  type OpenSpan,
  type PastSpan,
  type SpanAttributes,
  type SpanName,
  type SpanOptions,
  type Tracing,
} from "../tracing.ts";
import type { TelemetryConfiguration } from "./telemetry.settings.ts";

export interface Sending {
  readonly configuration: TelemetryConfiguration;
  /** Identity of this part and deployment. */
  readonly resource: Resource;
  /** Called for data that could not be sent. */
  readonly onLost: (signal: string, error: unknown) => void;
}

/** Maximum queued spans; further spans are dropped without affecting the traced work. */
const spansWaiting = 8_192;

/** Milliseconds for which an ending process waits for its last export. */
export const lastSendingMs = 2_000;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const;

export function sendSpans(url: string, { configuration, resource, onLost }: Sending): Tracing {
  const { otlpHeaders, otlpTimeoutMs, spanDelayMs } = configuration;
  const ids = pinnedIds();
  const exporter = new OTLPTraceExporter({
    url,
    timeoutMillis: otlpTimeoutMs,
    ...defined({ headers: otlpHeaders }),
  });
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(configuration),
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: 256 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: countingLosses(exporter, onLost),
        scheduledDelayMillis: spanDelayMs,
        exportTimeoutMillis: otlpTimeoutMs,
        maxQueueSize: spansWaiting,
      }),
    ],
  });
  const spans = new Spans(provider.getTracer("hostledger"), ids);
  return {
    within: (name, options, work) => spans.within(name, options, work),
    under: ({ correlationId, under }, work) => spans.under(correlationId, under, work),
    record: (name, span) => {
      spans.record(name, span);
    },
    traceparent: () => spans.traceparent(),
    async close() {
      // The exporter has reported the failure.
      const sent = provider.shutdown().catch(() => undefined);
      await within(lastSendingMs, sent, () => undefined);
    },
  };
}

/** Spans of a process. Parents follow from the call context, or from names. */
class Spans {
  readonly #tracer: Tracer;
  readonly #ids: PinnedIds;
  readonly #current = new AsyncLocalStorage<SpanContext>();
  readonly #open = new Map<string, SpanContext>();

  constructor(tracer: Tracer, ids: PinnedIds) {
    this.#tracer = tracer;
    this.#ids = ids;
  }

  async within<Result>(
    name: string,
    options: SpanOptions,
    work: (span: OpenSpan) => Promise<Result>,
  ): Promise<Result> {
    const span = this.#begin(name, options, Date.now());
    if (span === undefined) return work({ describe: () => undefined, fail: () => undefined });
    const context = span.spanContext();
    const key = options.as !== undefined && "open" in options.as ? options.as.open : undefined;
    if (key !== undefined) this.#open.set(key, context);
    const fail = (): void => {
      span.setStatus({ code: SpanStatusCode.ERROR });
    };
    const describe = (finalName: string, attributes: SpanAttributes): void => {
      span.updateName(finalName).setAttributes(attributes);
    };
    try {
      return await this.#current.run(context, () => work({ describe, fail }));
    } catch (error) {
      span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
      fail();
      throw error;
    } finally {
      if (key !== undefined && this.#open.get(key) === context) this.#open.delete(key);
      span.end();
    }
  }

  under<Result>(correlationId: string, parent: SpanName, work: () => Result): Result {
    const traceId = traceIdOf(correlationId);
    const known = this.#named(traceId, parent);
    return known === undefined ? work() : this.#current.run(known, work);
  }

  record(name: string, { seconds, isFailed = false, ...options }: PastSpan): void {
    const endMs = Date.now();
    const span = this.#begin(name, options, endMs - seconds * 1_000);
    if (isFailed) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end(endMs);
  }

  traceparent(): string | undefined {
    const current = this.#current.getStore();
    if (current === undefined) return undefined;
    return `00-${current.traceId}-${current.spanId}-0${String(current.traceFlags & TraceFlags.SAMPLED)}`;
  }

  /** @returns undefined if the span belongs to no trace */
  #begin(name: string, options: SpanOptions, startTime: number): Span | undefined {
    const { correlationId, as, kind = "internal", attributes = {} } = options;
    const current = this.#current.getStore();
    const traceId = correlationId === undefined ? current?.traceId : traceIdOf(correlationId);
    if (traceId === undefined) return undefined;
    const parent =
      (options.under === undefined ? undefined : this.#named(traceId, options.under)) ??
      remote(traceId, options.traceparent) ??
      (current?.traceId === traceId ? current : undefined);
    const spanId = as !== undefined && "event" in as ? spanIdOf(traceId, as.event) : undefined;
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    return this.#ids.pin({ traceId, spanId }, () =>
      this.#tracer.startSpan(name, { kind: kinds[kind], attributes, startTime }, context),
    );
  }

  #named(traceId: string, name: SpanName): SpanContext | undefined {
    if ("event" in name) return elsewhere(traceId, spanIdOf(traceId, name.event));
    const open = this.#open.get(name.open);
    return open?.traceId === traceId ? open : undefined;
  }
}

function remote(traceId: string, header: string | undefined): SpanContext | undefined {
  const caller = readTraceparent(header);
  return caller?.traceId === traceId ? elsewhere(traceId, caller.spanId) : undefined;
}

/** Returns the context of a span known only by id. Every process decides by trace id whether to sample. */
function elsewhere(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

interface PinnedIds extends IdGenerator {
  pin<Result>(
    ids: { readonly traceId: string; readonly spanId: string | undefined },
    begin: () => Result,
  ): Result;
}

function pinnedIds(): PinnedIds {
  const random = new RandomIdGenerator();
  let pinned: { readonly traceId: string; readonly spanId: string | undefined } | undefined;
  return {
    generateTraceId: () => pinned?.traceId ?? random.generateTraceId(),
    generateSpanId: () => pinned?.spanId ?? random.generateSpanId(),
    pin(ids, begin) {
      pinned = ids;
      try {
        return begin();
      } finally {
        pinned = undefined;
      }
    },
  };
}

/** Creates a sampler that decides by trace id alone, so that all processes and resumed runs decide alike. */
function samplerOf({ traceSampler, traceRatio }: TelemetryConfiguration): Sampler {
  switch (traceSampler) {
    case "parentbased_always_off":
    case "always_off":
      return new AlwaysOffSampler();
    case "parentbased_always_on":
    case "always_on":
      return new TraceIdRatioBasedSampler(1);
    case "parentbased_traceidratio":
    case "traceidratio":
      return new TraceIdRatioBasedSampler(traceRatio);
  }
}

function countingLosses(exporter: SpanExporter, onLost: Sending["onLost"]): SpanExporter {
  return {
    export(spans, settled) {
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onLost("traces", result.error);
        settled(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
