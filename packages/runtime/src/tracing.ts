import { createHash } from "node:crypto";

/**
 * Names a span beside its random id. An `open` one is found by that name while it is open, in this process. The id of one
 * that is a `fact` is made from the name, so that whoever reads the facts can put a span under it: in another process, or
 * after a restart.
 */
export type SpanName = { readonly open: string } | { readonly fact: string };

/** What a span is about. Never an account's id, a name that a customer chose, or any other personal text. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Where a span belongs. */
export interface SpanOptions {
  /** Joins everything that one intention caused, and so names the trace. Left out, it is the trace of the span under way. */
  readonly correlationId?: string;
  /** The span's parent. Left out, or where nobody knows it any more, that is the span under way in the same trace. */
  readonly under?: SpanName;
  /** The `traceparent` of the caller (W3C Trace Context): its span is the parent, if it is one of the same trace. */
  readonly traceparent?: string | undefined;
  /** How others name this span as their parent. */
  readonly as?: SpanName;
  /** Default: `internal`. */
  readonly kind?: "internal" | "server" | "client" | "consumer";
  readonly attributes?: SpanAttributes;
}

/** A span that is over when it is told of. */
export interface PastSpan extends SpanOptions {
  /** How long it took. It ended just now. */
  readonly seconds: number;
  readonly isFailed?: boolean;
}

/** A span under way. */
export interface OpenSpan {
  /** Says at the end what was not known at the beginning. */
  describe(name: string, attributes: SpanAttributes): void;
  fail(): void;
}

/** Tells a collector of traces what one request leads to, layer by layer. Where there is none, nobody has one of these. */
export interface Tracing {
  /** Does work within a span. What the work throws marks the span as failed; its text, which may be personal, is not told. */
  within<Result>(
    name: string,
    options: SpanOptions,
    work: (span: OpenSpan) => Promise<Result>,
  ): Promise<Result>;
  /** Does work as if it were within a span that was told of before, here or elsewhere. */
  under<Result>(parent: Required<Pick<SpanOptions, "correlationId" | "under">>, work: () => Result): Result;
  /** Tells of something that is over. What belongs to no trace is left out. */
  record(name: string, span: PastSpan): void;
  /** The `traceparent` that a call to another process carries; undefined outside of every span. */
  traceparent(): string | undefined;
  /** Hands over what is left, for a bounded time. */
  close(): Promise<void>;
}

/** A caller's span. */
export interface Traceparent {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
}

/** No version needs more for what is read here; who sends more is not listened to. */
const longestTraceparent = 512;

/**
 * Reads a W3C `traceparent` header (Trace Context, §3.2).
 *
 * @returns undefined when the header is absent, too long or breaks the specification: then the trace begins here.
 */
export function readTraceparent(header: string | undefined): Traceparent | undefined {
  if (header === undefined || header.length > longestTraceparent) return undefined;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(header);
  const [, version, traceId, spanId, rest] = match ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || version === "ff")
    return undefined;
  // Version 00 ends after the flags; a later one may add fields, which are to be skipped.
  if (version === "00" && rest !== undefined) return undefined;
  if (traceId === "0".repeat(32) || spanId === "0".repeat(16)) return undefined;
  return { traceId, spanId };
}

/** The trace of everything under one correlation id: mostly that id itself, which is a request's trace id. */
export function traceIdOf(correlationId: string): string {
  const digits = correlationId.replaceAll("-", "");
  return /^(?!0{32})[0-9a-f]{32}$/.test(digits) ? digits : hex(correlationId, 32);
}

/** The id of a span that is known by a fact: 16 hexadecimal digits, the same wherever it is computed. */
export function spanIdOf(traceId: string, fact: string): string {
  return hex(`${traceId} ${fact}`, 16);
}

function hex(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
