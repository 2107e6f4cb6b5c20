import type { audit } from "@hostledger/protocol";
import type { Event } from "@hostledger/audit/reports";
import { readingDeadlineMilliseconds, type AuditClient } from "./audit-client.ts";

export interface AuditedEvent extends Event {
  /** Index of the event's leaf in the log. */
  readonly index: bigint;
}

export type EventFilter = Parameters<AuditClient["readEvents"]>[0];

/** Reads events in log order as they arrive. */
export async function* auditedEvents(client: AuditClient, filter: EventFilter): AsyncGenerator<AuditedEvent> {
  const batches = client.readEvents(filter, { timeoutMs: readingDeadlineMilliseconds });
  for await (const { events } of batches) for (const event of events) yield eventOf(event);
}

/** Converts an event for reports. */
export function eventOf({
  index,
  stream,
  revision,
  id,
  type,
  time,
  data,
  metadata,
  leftOut,
}: audit.AuditedEvent): AuditedEvent {
  const event = { index, stream, revision, id, type, time, data, metadata };
  return leftOut === "" ? event : { ...event, leftOut };
}
