import { cannotBeAsked, findsNoTable } from "@hostledger/runtime/async";
import type { CompiledQuery, PostgresCursor, PostgresPool, PostgresQueryResult } from "kysely";
import pg from "pg";

import { messageOf, ReadModelError, ReadModelNotBuiltError, ReadModelUnavailableError } from "../errors.ts";
import type { ReadConnection } from "../prepared-query.ts";
import { hashOf } from "./naming.ts";

/** Passes on why a question was not answered, in our own words where it is no fault of the question. */
function refuse(error: unknown): never {
  if (findsNoTable(error)) throw new ReadModelNotBuiltError(messageOf(error), { cause: error });
  if (cannotBeAsked(error)) throw new ReadModelUnavailableError(messageOf(error), { cause: error });
  throw error;
}

/** Where prepared queries read. @throws ReadModelNotBuiltError, ReadModelUnavailableError, and what is the query's fault */
export function readingOn(pool: pg.Pool): ReadConnection {
  const run = async <Row>({ sql: text, parameters }: CompiledQuery<Row>): Promise<Row[]> => {
    const values = parameters.map((value) => (typeof value === "boolean" ? Number(value) : value));
    const ask = async (name: { readonly name?: string }): Promise<Row[]> =>
      (await pool.query<Row & pg.QueryResultRow>({ ...name, text, values })).rows;
    try {
      return await ask({ name: hashOf(text) });
    } catch (error) {
      // The table that took its table's place has other columns ("cached plan must not change result type").
      const isOfOtherColumns = error instanceof pg.DatabaseError && error.code === "0A000";
      return isOfOtherColumns ? ask({}).catch(refuse) : refuse(error);
    }
  };
  return { rows: run, firstRow: async (query) => (await run(query))[0] };
}

/** The same pool for queries of any form, whose failures say the same. */
export function kyselyPool(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(refuse);
      function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
      function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
      function query(text: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
        if (typeof text !== "string") throw new ReadModelError("read models are read in pages, not streamed");
        return client.query(text, [...values]).catch(refuse);
      }
      return {
        query,
        release: (isBroken) => {
          client.release(isBroken);
        },
      };
    },
  };
}
