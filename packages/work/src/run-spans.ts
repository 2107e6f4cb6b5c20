import type { Tracing } from "@hostledger/runtime";

import type { DrivenRun } from "./run-journal.ts";

export interface RunTrace {
  readonly tracing: Tracing | undefined;
  /** The run has no event yet. */
  readonly isBegun: boolean;
}

/**
 * Drives a run in the trace of its first request. The root span ends at once and derives from the run's id, so the
 * spans of every later driver belong to it, also after a restart.
 */
export function inTraceOf<Result>(
  { runId, context: { correlationId } }: Pick<DrivenRun, "runId" | "context">,
  { tracing, isBegun }: RunTrace,
  drive: () => Result,
): Result {
  if (tracing === undefined) return drive();
  // The text after the category may be a name that a customer chose.
  const category = runId.slice(0, Math.max(0, runId.indexOf("-")));
  const attributes = { "hostledger.stream.category": category };
  const run = { event: runId };
  if (isBegun) tracing.record(`${category} begins`, { correlationId, as: run, attributes, seconds: 0 });
  else tracing.record(`${category} goes on`, { correlationId, under: run, attributes, seconds: 0 });
  return tracing.under({ correlationId, under: run }, drive);
}

/** Makes an attempt at an effect in the trace of the request for which the work began. @param kind of the work */
export function attemptInTrace<Result>(
  { tracing, kind }: { readonly tracing?: Tracing | undefined; readonly kind: string },
  { number, correlationId }: { readonly number: number; readonly correlationId: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  if (tracing === undefined) return attempt();
  const attributes = { "hostledger.attempt": number };
  return tracing.within(`${kind} attempt`, { correlationId, attributes }, attempt);
}
