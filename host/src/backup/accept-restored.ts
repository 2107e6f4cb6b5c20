import { storeRewindAggregate } from "@hostledger/core";
import { createCommandHandler, type EventStore } from "@hostledger/event-store";
import { randomIds, systemClock } from "@hostledger/runtime";

import { skipIds } from "../skipped-ids.ts";

/**
 * Accepts a restored store, as staff would: what was given out after the backup is not known, so ids leave a gap and documents
 * continue in a new series.
 */
export async function acceptRestored(store: EventStore, above: number | undefined): Promise<void> {
  const commands = createCommandHandler({ store, recordedBy: "restore" });
  const restoreId = randomIds.uuid();
  const context = { commandId: `restore/${restoreId}`, correlationId: restoreId, actor: "process:restore" };
  const { state } = await commands.load(storeRewindAggregate, "all");
  const sequences = await skipIds(commands, state, {
    known: new Map(),
    context,
    ...(above === undefined ? {} : { above }),
  });
  const at = systemClock().now();
  const data = { reason: "hostledger restore", sequences, isForced: true, at };
  const executed = await commands.execute(
    storeRewindAggregate,
    "all",
    { type: "AcceptStoreRewind", data },
    context,
  );
  if (!executed.accepted) throw new Error(executed.rejection.message);
}
