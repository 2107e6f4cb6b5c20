import { createHash } from "node:crypto";

/**
 * Name of a span besides its random id. An `open` span is found by name in this process while open. The id of a `event`
 * span is computed from the name, so that other processes, also after a restart, can add child spans.
 */
export type SpanName = { readonly open: string } | { readonly event: string };

/** Attributes of a span; never account ids, customer-chosen names or other personal text. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Correlation id, which determines the trace. Default: the current span's trace. */
  readonly correlationId?: string;
  /** Parent span. Default, or if unknown: the current span of the trace. */
  readonly under?: SpanName;
  /** `traceparent` of the caller (W3C Trace Context); its span is the parent if it has the same trace. */
  readonly traceparent?: string | undefined;
  /** Name by which child spans find this span. */
  readonly as?: SpanName;
  /** Default: `internal`. */
  readonly kind?: "internal" | "server" | "client" | "consumer";
  readonly attributes?: SpanAttributes;
}

/** A span reported after its end. */
export interface PastSpan extends SpanOptions {
  /** Duration; the span ended just now. */
  readonly seconds: number;
  readonly isFailed?: boolean;
}

export interface OpenSpan {
  /** Sets name and attributes known only at the end. */
  describe(name: string, attributes: SpanAttributes): void;
  fail(): void;
}

/** Reports the work of requests to a trace collector. Absent without a collector. */
export interface Tracing {
  /** Runs work within a span. An error marks the span as failed; its text, possibly personal, is not reported. */
  within<Result>(
    name: string,
    options: SpanOptions,
    work: (span: OpenSpan) => Promise<Result>,
  ): Promise<Result>;
  /** Runs work under a span reported earlier, perhaps by another process. */
  under<Result>(parent: Required<Pick<SpanOptions, "correlationId" | "under">>, work: () => Result): Result;
  /** Reports an ended span; ignored outside of traces. */
  record(name: string, span: PastSpan): void;
  /** Returns the `traceparent` for calls to other processes; undefined outside of spans. */
  traceparent(): string | undefined;
  /** Exports remaining spans within a time limit. */
  close(): Promise<void>;
}

/** The caller's span. */
export interface Traceparent {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
}

/** Maximum length of the header; longer ones are ignored. */
const longestTraceparent = 512;

/** Parses a W3C `traceparent` (Trace Context, §3.2). @returns undefined if absent or invalid; a trace then begins */
export function readTraceparent(header: string | undefined): Traceparent | undefined {
  if (header === undefined || header.length > longestTraceparent) return undefined;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(header);
  const [, version, traceId, spanId, rest] = match ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || version === "ff")
    return undefined;
  // Version 00 has no further fields; fields of later versions are skipped.
  if (version === "00" && rest !== undefined) return undefined;
  if (traceId === "0".repeat(32) || spanId === "0".repeat(16)) return undefined;
  return { traceId, spanId };
}

/** Returns the trace id of a correlation id, mostly that id itself. */
export function traceIdOf(correlationId: string): string {
  const digits = correlationId.replaceAll("-", "");
  return /^(?!0{32})[0-9a-f]{32}$/.test(digits) ? digits : hex(correlationId, 32);
}

/** Computes the id of a `event` span: 16 hexadecimal digits, equal in every process. */
export function spanIdOf(traceId: string, event: string): string {
  return hex(`${traceId} ${event}`, 16);
}

function hex(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
