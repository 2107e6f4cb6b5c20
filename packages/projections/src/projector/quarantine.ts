import { quarantineAggregate, StoredEventError, type SkippedEvent } from "@hostledger/core";
import type { EventStore, RecordedEvent } from "@hostledger/event-store";

/**
 * The events that staff let a read model go past in versions of Hostledger that stopped whole read models, oldest first. Nothing is
 * added to them: today staff mend the stream, for all read models.
 * @param projection service and name, for example `account.invoices`.
 */
export async function skippedBy(
  store: Pick<EventStore, "read">,
  projection: string,
): Promise<readonly SkippedEvent[]> {
  const { category, codec } = quarantineAggregate;
  const skipped: SkippedEvent[] = [];
  for await (const { type, data } of store.read(`${category}-${projection}`)) {
    try {
      skipped.push(codec.decode(type, data).data);
    } catch (error) {
      // What says which event is skipped cannot be read itself: that stops nobody else.
      if (!(error instanceof StoredEventError)) throw error;
    }
  }
  return skipped;
}

/** Whether staff let a read model go past an event that it cannot take. @throws what the store throws. */
export async function isSkipped(
  store: Pick<EventStore, "read">,
  projection: string,
  { id }: Pick<RecordedEvent, "id">,
): Promise<boolean> {
  return (await skippedBy(store, projection)).some(({ eventId }) => eventId === id);
}
