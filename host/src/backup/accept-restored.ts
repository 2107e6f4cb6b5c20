import { seriesName, storeRewindAggregate } from "@hostledger/core";
import { createCommandHandler, type EventStore } from "@hostledger/event-store";
import { randomIds, systemClock } from "@hostledger/runtime";

import { skipIds } from "../skipped-ids.ts";

/**
 * Accepts a restored store, as staff would: what was given out after the backup is not known, so ids leave a gap and documents
 * continue in a new series.
 * @param known where earlier restores of the same backup have ended.
 * @returns where sequences continue, and the number of the series.
 */
export async function acceptRestored(
  store: EventStore,
  { above, known }: { readonly above: number | undefined; readonly known: ReadonlyMap<string, number> },
): Promise<ReadonlyMap<string, number>> {
  const commands = createCommandHandler({ store, recordedBy: "restore" });
  const restoreId = randomIds.uuid();
  const context = { commandId: `restore/${restoreId}`, correlationId: restoreId, actor: "process:restore" };
  const { state } = await commands.load(storeRewindAggregate, "all");
  const sequences = await skipIds(commands, state, {
    known,
    context,
    ...(above === undefined ? {} : { above }),
  });
  const at = systemClock().now();
  const data = {
    reason: "hostledger restore",
    sequences,
    isForced: true,
    knownSeries: known.get(seriesName) ?? 0,
    at,
  };
  const executed = await commands.execute(
    storeRewindAggregate,
    "all",
    { type: "AcceptStoreRewind", data },
    context,
  );
  if (!executed.accepted) throw new Error(executed.rejection.message);
  const ends = sequences.map(({ sequence, last }): [string, number] => [sequence, last]);
  return new Map([...ends, [seriesName, executed.state.series]]);
}
