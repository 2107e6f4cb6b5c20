import type { audit } from "@hostledger/protocol";
import type { Fact } from "@hostledger/reports";
import { readingDeadlineMilliseconds, type AuditClient } from "./audit-client.ts";

/** A fact with its place in the log. */
export interface AuditedFact extends Fact {
  /** The index of its leaf. */
  readonly index: bigint;
}

/** Which facts to read. */
export type FactFilter = Parameters<AuditClient["readEvents"]>[0];

/** Reads facts in log order, as they come. */
export async function* auditedFacts(client: AuditClient, filter: FactFilter): AsyncGenerator<AuditedFact> {
  const batches = client.readEvents(filter, { timeoutMs: readingDeadlineMilliseconds });
  for await (const { events } of batches) for (const event of events) yield factOf(event);
}

/** A fact as reports take it. */
export function factOf({
  index,
  stream,
  revision,
  id,
  type,
  time,
  data,
  metadata,
}: audit.AuditedEvent): AuditedFact {
  return { index, stream, revision, id, type, time, data, metadata };
}
