import { quarantineAggregate, type SkippedEvent } from "@hostledger/core";
import {
  createCommandHandler,
  type CommandContext,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/event-store";

/** Who lets a read model go on behind an event, why and when. */
export interface StaffWord {
  readonly reason: string;
  /** ISO 8601 UTC with six fractional digits. */
  readonly at: string;
  readonly context: Omit<CommandContext, "commandId">;
}

/**
 * The events that a read model goes on behind when it cannot take them, oldest first.
 * @param projection service and name, for example `account.invoices`.
 */
export async function skippedBy(store: EventStore, projection: string): Promise<readonly SkippedEvent[]> {
  const commands = createCommandHandler({ store, recordedBy: "projections" });
  return (await commands.load(quarantineAggregate, projection)).state.skipped;
}

/** Whether staff let a read model go past an event that it cannot take. @throws what the store throws. */
export async function isSkipped(
  store: EventStore,
  projection: string,
  { id }: Pick<RecordedEvent, "id">,
): Promise<boolean> {
  return (await skippedBy(store, projection)).some(({ eventId }) => eventId === id);
}

/**
 * Records that a read model goes on behind an event.
 * @throws what the store throws, and Error when it is overloaded.
 */
export async function recordSkip(
  store: EventStore,
  {
    storedName,
    projection: { version },
  }: { readonly storedName: string; readonly projection: { readonly version: number } },
  { id: eventId, type: eventType, stream, position }: RecordedEvent,
  { reason, at, context }: StaffWord,
): Promise<SkippedEvent> {
  const commands = createCommandHandler({ store, recordedBy: "projections" });
  const data: SkippedEvent = {
    projection: storedName,
    version,
    position: String(position),
    eventId,
    eventType,
    stream,
    reason,
    skippedAt: at,
  };
  const sent = { ...context, commandId: `skip/${storedName}/${eventId}` };
  const executed = await commands.execute(quarantineAggregate, storedName, { type: "SkipEvent", data }, sent);
  if (!executed.accepted) throw new Error(executed.rejection.message);
  return data;
}
