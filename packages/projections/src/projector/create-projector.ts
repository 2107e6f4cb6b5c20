import type { DomainEvent } from "@hostledger/core";

import { ReadModelError } from "../errors.ts";
import type { AnyProjection } from "../projection.ts";
import { dropRubbish } from "../sqlite/table-set.ts";
import { EventProjector } from "./event-projector.ts";
import { beforeFirst } from "./position.ts";
import { openSlot } from "./projection-slot.ts";
import type { Projector, ProjectorOptions } from "./projector.ts";

/**
 * Makes a projector and looks after what an earlier run left: unfinished tables of a crashed rebuild are dropped.
 * @throws ReadModelError a table has two owners, or the database was written by a newer version.
 */
export async function createProjector<Event extends DomainEvent>(
  options: ProjectorOptions<Event>,
): Promise<Projector> {
  refuseSharedNames(options.projections);
  const { storage } = options.database;
  const lastPosition = (await options.store.lastPosition()) ?? beforeFirst;
  const rubbish = dropRubbish(storage.connection, storage.compiler);
  if (rubbish.length > 0)
    options.logger?.info({ tables: rubbish }, "dropped what an interrupted rebuild left");
  return new EventProjector(
    options,
    options.projections.map((projection) => openSlot(storage, projection, lastPosition)),
  );
}

function refuseSharedNames<Event extends DomainEvent>(projections: readonly AnyProjection<Event>[]): void {
  const names = projections.map(({ name }) => name);
  const tables = projections.flatMap((projection) => Object.keys(projection.tables));
  for (const list of [names, tables]) {
    const shared = list.find((name, index) => list.indexOf(name) !== index);
    if (shared !== undefined)
      throw new ReadModelError(`${shared} is there twice: names of projections and tables are unique`);
  }
}
