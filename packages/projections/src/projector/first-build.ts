import type { DomainEvent } from "@hostledger/core";
import type { EventStore } from "@hostledger/event-store";
import { within } from "@hostledger/runtime/async";

import { beforeFirst } from "./position.ts";
import type { ProjectionSlot } from "./projection-slot.ts";
import {
  putInUse,
  rebuildBeside,
  replaceTables,
  type RebuildContext,
  type RebuildReport,
} from "./rebuild.ts";

/** How long the log is waited for to say whether it has events, in milliseconds. */
const answerMs = 1_000;

/**
 * Builds the tables of all projections where none has any, so that nobody follows the log yet. Of a log without events they are made at
 * once: nothing is read, and no table changes its name, for which SQLite reads the definitions of all of them.
 */
export async function buildFirst<Event extends DomainEvent>(
  context: RebuildContext<Event>,
  slots: readonly ProjectionSlot<Event>[],
  signal: AbortSignal,
): Promise<readonly RebuildReport[]> {
  if (!(await isEmpty(context.store))) return rebuildBeside(context, slots, signal);
  const { storage } = context;
  await storage.exclusively(async () => {
    await storage.transaction(async () => {
      for (const slot of slots) {
        await replaceTables(
          storage,
          slot,
          { position: beforeFirst, mark: null, stopped: [] },
          async (generation) => {
            const tables = storage.tables(slot.projection.tables);
            await tables.create();
            await tables.createIndexes(generation, 0);
          },
        );
      }
      await storage.announce();
    });
    for (const slot of slots) putInUse(storage, slot, beforeFirst, []);
  });
  return slots.map(({ name }) => ({ name, events: 0, rows: 0, equal: undefined }));
}

/** Whether the log has no event. One that does not answer is read instead: that waits until it does. */
function isEmpty(store: EventStore): Promise<boolean> {
  const asked = store.lastPosition().then(
    (end) => end === undefined,
    () => false,
  );
  return within(answerMs, asked, () => false);
}
