import type { DomainEvent } from "@hostledger/core";

import { ReadModelError } from "../errors.ts";
import type { AnyProjection } from "../projection.ts";
import { EventProjector } from "./event-projector.ts";
import type { Projector, ProjectorOptions } from "./projector.ts";

/**
 * Makes a projector. The process that owns the tables also drops unfinished tables of a crashed rebuild. If another
 * process owns them, this process is on standby.
 * @throws ReadModelError a table has two owners, or the database was written by a newer version.
 */
export async function createProjector<Event extends DomainEvent>(
  options: ProjectorOptions<Event>,
): Promise<Projector> {
  refuseSharedNames(options.projections);
  const projector = new EventProjector(options);
  await projector.open();
  return projector;
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
