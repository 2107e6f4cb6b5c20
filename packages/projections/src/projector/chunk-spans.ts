import { originOf } from "@hostledger/event-store";
import { monotonicMilliseconds } from "@hostledger/runtime";

import type { EventChunk } from "./commit-batch.ts";
import type { ProjectorOptions } from "./projector.ts";

/**
 * Tells each trace that its facts are in the read models of a service, under the append that stored them. Asked only of what
 * comes live: what was missed before is caught up with for no request that anybody still looks at.
 */
export function tellOfChunk(
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
      under: { fact: origin.command },
      kind: "consumer",
      attributes: { "hostledger.service": service, "hostledger.commit.events": events.length },
      seconds,
    });
  }
}
