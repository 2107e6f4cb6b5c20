import { cannotBeAsked, findsNoTable, type PostgresSession } from "@hostledger/runtime/postgres";
import type { CompiledQuery, PostgresCursor, PostgresPool, PostgresQueryResult } from "kysely";
import pg from "pg";

import { messageOf, ReadModelError } from "../errors.ts";
import { ReadModelNotBuiltError, ReadModelUnavailableError } from "../unavailable.errors.ts";
import type { ReadConnection } from "../prepared-query.ts";
import { hashOf } from "./naming.ts";

type Asked = Pick<PostgresSession, "query" | "close">;

/** SQLSTATEs of an unusable plan: the table has other columns now, or an earlier query failed to prepare it. */
const unplanned = new Set(["0A000", "26000"]);

/** Throws a failed query's error, converted to our own error unless the query is at fault. */
function refuse(error: unknown): never {
  if (findsNoTable(error)) throw new ReadModelNotBuiltError(messageOf(error), { cause: error });
  if (cannotBeAsked(error)) throw new ReadModelUnavailableError(messageOf(error), { cause: error });
  throw error;
}

/** Creates the connection for prepared queries. @throws ReadModelNotBuiltError, ReadModelUnavailableError */
export function readingOn(sessions: Asked): ReadConnection {
  const run = async <Row>({ sql: text, parameters }: CompiledQuery<Row>): Promise<Row[]> => {
    const values = parameters.map((value) => (typeof value === "boolean" ? Number(value) : value));
    const ask = async (name: { readonly name?: string }): Promise<Row[]> =>
      (await sessions.query<Row & pg.QueryResultRow>({ ...name, text, values })).rows;
    try {
      return await ask({ name: hashOf(text) });
    } catch (error) {
      const isUnplanned = error instanceof pg.DatabaseError && unplanned.has(error.code ?? "");
      return isUnplanned ? ask({}).catch(refuse) : refuse(error);
    }
  };
  return { rows: run, firstRow: async (query) => (await run(query))[0] };
}

/** Wraps sessions and converts their errors. Refuses transactions, because queries share the sessions. */
export function questionsTo(sessions: Asked): Asked {
  return {
    query: async <Row extends pg.QueryResultRow>(statement: pg.QueryConfig) => {
      if (/^(begin|start transaction)/iu.test(statement.text))
        throw new ReadModelError(
          "read models in PostgreSQL are asked one question at a time, without transactions",
        );
      return sessions.query<Row>(statement).catch(refuse);
    },
    close: () => sessions.close(),
  };
}

/** Adapts sessions for Kysely. A Kysely transaction needs a session that no other query uses. */
export function kyselyPool(sessions: Asked): PostgresPool {
  function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  function query(text: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
    if (typeof text !== "string") throw new ReadModelError("read models are read in pages, not streamed");
    return sessions.query({ text, values: [...values] });
  }
  const client = {
    query,
    release: () => {
      // The client was never reserved, so there is nothing to release.
    },
  };
  return { options: {}, end: () => sessions.close(), connect: () => Promise.resolve(client) };
}
