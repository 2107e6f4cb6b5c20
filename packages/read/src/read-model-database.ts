import type { Compilable } from "kysely";
import type { ReadonlyKysely } from "kysely/readonly";

import type { NamedValues, ParameterOf, PreparedQuery } from "./prepared-query.ts";
import type { ProjectionStorage } from "./storage/storage.port.ts";

/** One service's read models: a database that one projector writes and many queries read. */
export interface ReadModelDatabase<Tables> {
  /** Queries of any form, on separate connections: a read transaction is one snapshot. */
  readonly queries: ReadonlyKysely<Tables>;
  /**
   * Compiles a query once, for hot paths. Make it when the service starts, not for each request.
   * ```ts
   * const domainById = database.prepared((db, parameter: ParameterOf<{ id: number }>) =>
   *   db.selectFrom("domains").selectAll().where("id", "=", parameter("id")));
   * await domainById.first({ id: 17 });
   * ```
   */
  prepared<Parameters extends NamedValues, Row>(
    build: (db: ReadonlyKysely<Tables>, parameter: ParameterOf<Parameters>) => Compilable<Row>,
  ): PreparedQuery<Parameters, Row>;
  readonly storage: ProjectionStorage;
  /** Stop the projector first. */
  close(): Promise<void>;
}
