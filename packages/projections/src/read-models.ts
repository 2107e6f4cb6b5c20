import type { Logger } from "@hostledger/runtime";

import { openPostgresReadModels } from "./postgres/open-postgres-read-models.ts";
import type { ReadModelDatabase } from "./read-model-database.ts";
import { openSqliteReadModels } from "./sqlite/open-sqlite-read-models.ts";

/** Where a service's read models are: in a file of its own, or in a schema of a PostgreSQL database. */
export type ReadModelLocation =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** Where the read models are and whose they are. */
export interface ReadModelOptions {
  readonly location: ReadModelLocation;
  /** A database made for another service is refused. In PostgreSQL it names the schema. */
  readonly service: string;
  /** Told of a damaged file that was set aside. */
  readonly logger?: Pick<Logger, "error">;
}

/**
 * Opens or makes a service's read models. A damaged file is set aside, and its tables are built anew.
 * @throws ReadModelError they cannot be used: no database, another service's, a newer version's, not reachable, not writable.
 */
export function openReadModels<Tables>({
  location,
  service,
  logger,
}: ReadModelOptions): Promise<ReadModelDatabase<Tables>> {
  return location.kind === "sqlite"
    ? openSqliteReadModels<Tables>(location.path, service, logger)
    : openPostgresReadModels<Tables>(location.url, service);
}
