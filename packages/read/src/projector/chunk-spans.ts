import { originOf } from "@hostledger/store";
import { monotonicMilliseconds } from "@hostledger/runtime";

import type { EventChunk } from "./commit-batch.ts";
import type { ProjectorOptions } from "./projector.ts";

/**
 * Adds a span to each trace whose events reached the read models of a service. Only live events get a span, because
 * nobody looks at the requests of older ones.
 */
export function traceChunk(
  { tracing, database }: Pick<ProjectorOptions<never>, "tracing" | "database">,
  { events }: EventChunk,
  beganMs: number,
): void {
  if (tracing === undefined) return;
  const { service } = database.storage;
  const seconds = (monotonicMilliseconds() - beganMs) / 1_000;
  const seen = new Set<string>();
  for (const event of events) {
    const origin = originOf(event);
    if (origin === undefined || seen.has(origin.command)) continue;
    seen.add(origin.command);
    tracing.record(`projection ${service}`, {
      correlationId: origin.correlationId,
      under: { event: origin.command },
      kind: "consumer",
      attributes: { "hostledger.service": service, "hostledger.commit.events": events.length },
      seconds,
    });
  }
}
