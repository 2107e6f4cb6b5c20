import type { DomainEvent } from "@hostledger/core";
import type { EventStore } from "@hostledger/store";
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

/** Maximum wait for the store's answer whether the log has events, in milliseconds. */
const answerMs = 1_000;

/**
 * Builds the tables of all projections if none exists yet, so that nobody follows the log. For an empty log they are
 * created directly, because SQLite reads all definitions when it renames a table.
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

/** True if the log is empty. Without an answer the log is read instead. */
function isEmpty(store: EventStore): Promise<boolean> {
  const asked = store.lastPosition().then(
    (end) => end === undefined,
    () => false,
  );
  return within(answerMs, asked, () => false);
}
