import { cannotBeAsked, findsNoTable, type PostgresSession } from "@hostledger/runtime/postgres";
import type { CompiledQuery, PostgresCursor, PostgresPool, PostgresQueryResult } from "kysely";
import pg from "pg";

import { messageOf, ReadModelError } from "../errors.ts";
import { ReadModelNotBuiltError, ReadModelUnavailableError } from "../unavailable.errors.ts";
import type { ReadConnection } from "../prepared-query.ts";
import { hashOf } from "./naming.ts";

/** Who is asked: one session, or several. */
type Asked = Pick<PostgresSession, "query" | "close">;

/**
 * SQLSTATEs of a question whose plan is of no use: the table that took its table's place has other columns ("cached plan must not change
 * result type"), or whoever asked the same just before was to have it planned and could not.
 */
const unplanned = new Set(["0A000", "26000"]);

/** Passes on why a question was not answered, in our own words where it is no fault of the question. */
function refuse(error: unknown): never {
  if (findsNoTable(error)) throw new ReadModelNotBuiltError(messageOf(error), { cause: error });
  if (cannotBeAsked(error)) throw new ReadModelUnavailableError(messageOf(error), { cause: error });
  throw error;
}

/** Where prepared queries read. @throws ReadModelNotBuiltError, ReadModelUnavailableError, and what is the query's fault */
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

/** The same sessions for queries of any form, one by one: a transaction would have others' questions in it. Failures say the same. */
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

/** Sessions as Kysely asks them. Its transactions need one that nobody else asks meanwhile. */
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
      // It was never taken from others.
    },
  };
  return { options: {}, end: () => sessions.close(), connect: () => Promise.resolve(client) };
}
