import type { audit } from "@hostledger/protocol";
import type { Fact } from "@hostledger/audit/reports";
import { readingDeadlineMilliseconds, type AuditClient } from "./audit-client.ts";

/** An event with its place in the log. */
export interface AuditedFact extends Fact {
  /** Index of the event's leaf in the log. */
  readonly index: bigint;
}

export type FactFilter = Parameters<AuditClient["readEvents"]>[0];

/** Reads events in log order as they arrive. */
export async function* auditedFacts(client: AuditClient, filter: FactFilter): AsyncGenerator<AuditedFact> {
  const batches = client.readEvents(filter, { timeoutMs: readingDeadlineMilliseconds });
  for await (const { events } of batches) for (const event of events) yield factOf(event);
}

/** Converts an event for reports. */
export function factOf({
  index,
  stream,
  revision,
  id,
  type,
  time,
  data,
  metadata,
  leftOut,
}: audit.AuditedEvent): AuditedFact {
  const fact = { index, stream, revision, id, type, time, data, metadata };
  return leftOut === "" ? fact : { ...fact, leftOut };
}
