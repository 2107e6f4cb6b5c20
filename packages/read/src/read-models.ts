import type { Logger } from "@hostledger/runtime";

import { openPostgresReadModels } from "./postgres/open-postgres-read-models.ts";
import type { ReadModelDatabase } from "./read-model-database.ts";
import { openSqliteReadModels } from "./sqlite/open-sqlite-read-models.ts";

/** Location of a service's read models: a file, or a schema of a PostgreSQL database. */
export type ReadModelLocation =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

export interface ReadModelOptions {
  readonly location: ReadModelLocation;
  /** A database of another service is refused. In PostgreSQL it names the schema. */
  readonly service: string;
  /** Logs that a damaged file was set aside. */
  readonly logger?: Pick<Logger, "error">;
}

/**
 * Opens or makes a service's read models. A damaged file is set aside, and its tables are rebuilt.
 * @throws ReadModelError no database, another service's, a newer version's, not reachable or not writable.
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
