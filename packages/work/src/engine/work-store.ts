import { addMilliseconds } from "@hostledger/core";
import { tablesOf, type ParameterOf, type ReadModelDatabase } from "@hostledger/read";
import type { ColumnDefinitionBuilder, Compilable } from "kysely";

import type { WorkFailure, WorkKey, WorkSchema } from "./work.table.ts";

export type DueWork = WorkSchema["work"];

/** Last key of the previous page. */
export type WorkPage = Pick<DueWork, "kind" | "key" | "due_at">;

export interface Rest {
  /** ISO 8601 UTC; null: not before its stream changes. */
  readonly until: string | null;
  readonly awaitsFunds: boolean;
}

/** Maximum wait of a key, in milliseconds. */
export const longestWaitMs = 86_400_000;

/** Limits the wait to one day, because settings may change what a key waits for. */
export function soonEnough({ until, awaitsFunds }: Rest, now: string): Rest {
  const lookAt = addMilliseconds(now, longestWaitMs);
  return { until: until !== null && until > lookAt ? lookAt : until, awaitsFunds };
}

/** Reads and writes the engine's persistent table. */
export interface WorkStore {
  /**
   * Returns due keys after the given key, the longest due first. `latest` bounds the due times, in case a clock was
   * ahead.
   */
  due(
    at: { readonly now: string; readonly latest: string },
    after: WorkPage,
    limit: number,
  ): Promise<readonly DueWork[]>;
  /** Returns keys after the given key that wait for money, by key. */
  awaitingFunds(after: WorkPage, limit: number): Promise<readonly DueWork[]>;
  /** Writes down when a key is due again. Where it was made due since the row was read, it stays due. */
  rest(row: DueWork, rest: Rest): Promise<void>;
  /** Makes a key due at an instant, unless it is due before. */
  bringForward(work: WorkKey, at: string): Promise<void>;
  /** Makes one key of a kind, or all of them, due at an instant, also while a worker has them. */
  makeDue(work: Pick<WorkKey, "kind"> & Partial<WorkKey>, at: string): Promise<void>;
  failureOf(work: WorkKey): Promise<WorkFailure | undefined>;
  putFailure(failure: WorkFailure): Promise<void>;
  forgetFailure(work: WorkKey): Promise<void>;
}

export const beforeAllWork: WorkPage = { kind: "", key: "", due_at: "" };

type Database = ReadModelDatabase<WorkSchema>;

/** Opens the tables of a service's work, and makes the one that no projection makes. */
export async function openWorkStore<Tables extends WorkSchema>(
  service: ReadModelDatabase<Tables>,
): Promise<WorkStore> {
  const database = tablesOf<WorkSchema, Tables>(service);
  const { storage } = database;
  const compiler = storage.compiler.$extendTables<WorkSchema>();
  const write = groupedWrites(database);
  // Another process may make the table at the same moment: whether it is there, the next statement says.
  await write(failureTable(database)).catch(() => undefined);
  const failure = database.prepared((db, parameter: ParameterOf<{ kind: string; key: string }>) =>
    db
      .selectFrom("work_failures")
      .selectAll()
      .where("kind", "=", parameter("kind"))
      .where("key", "=", parameter("key")),
  );
  return {
    ...readsOf(database),
    rest: ({ kind, key, due_at: shown, log_position: position }, { until, awaitsFunds }) =>
      write(
        compiler
          .updateTable("work")
          .set({ due_at: until, awaits_funds: awaitsFunds ? 1 : 0 })
          .where("kind", "=", kind)
          .where("key", "=", key)
          .where("log_position", "=", position)
          .where("due_at", shown === null ? "is" : "=", shown),
      ),
    bringForward: ({ kind, key }, at) =>
      write(
        compiler
          .updateTable("work")
          .set({ due_at: at })
          .where("kind", "=", kind)
          .where("key", "=", key)
          .where((where) => where.or([where("due_at", "is", null), where("due_at", ">", at)])),
      ),
    makeDue({ kind, key }, at) {
      const all = compiler.updateTable("work").set({ due_at: at }).where("kind", "=", kind);
      return write(key === undefined ? all : all.where("key", "=", key));
    },
    failureOf: (work) => failure.first(work),
    putFailure: ({ kind, key, ...failure }) =>
      write(
        compiler
          .insertInto("work_failures")
          .values({ kind, key, ...failure })
          .onConflict((conflict) => conflict.columns(["kind", "key"]).doUpdateSet(failure)),
      ),
    forgetFailure: ({ kind, key }) =>
      write(compiler.deleteFrom("work_failures").where("kind", "=", kind).where("key", "=", key)),
  };
}

function failureTable({ storage }: Database): Compilable {
  return storage.compiler.schema
    .createTable("work_failures")
    .ifNotExists()
    .addColumn("kind", "text", isRequired)
    .addColumn("key", "text", isRequired)
    .addColumn("effect", "text", isRequired)
    .addColumn("attempts", "integer", isRequired)
    .addColumn("reason", "text", isRequired)
    .addColumn("failing_since", "text", isRequired)
    .addColumn("failed_at", "text", isRequired)
    .addColumn("retry_at", "text", isRequired)
    .addPrimaryKeyConstraint("work_failures_key", ["kind", "key"]);
}

function isRequired(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull();
}

function readsOf(database: Database): Pick<WorkStore, "due" | "awaitingFunds"> {
  const due = database.prepared(
    (
      db,
      parameter: ParameterOf<{
        now: string;
        latest: string;
        dueAt: string;
        kind: string;
        key: string;
        limit: number;
      }>,
    ) =>
      db
        .selectFrom("work")
        .selectAll()
        .where((where) =>
          where.or([where("due_at", "<=", parameter("now")), where("due_at", ">", parameter("latest"))]),
        )
        .where((where) =>
          where(
            where.refTuple("due_at", "kind", "key"),
            ">",
            where.tuple(parameter("dueAt"), parameter("kind"), parameter("key")),
          ),
        )
        .orderBy("due_at")
        .orderBy("kind")
        .orderBy("key")
        .limit(parameter("limit")),
  );
  const funds = database.prepared(
    (db, parameter: ParameterOf<{ kind: string; key: string; limit: number }>) =>
      db
        .selectFrom("work")
        .selectAll()
        .where("awaits_funds", "=", 1)
        .where((where) =>
          where(where.refTuple("kind", "key"), ">", where.tuple(parameter("kind"), parameter("key"))),
        )
        .orderBy("kind")
        .orderBy("key")
        .limit(parameter("limit")),
  );
  return {
    due: (at, { due_at: dueAt, kind, key }, limit) =>
      due.all({ ...at, dueAt: dueAt ?? "", kind, key, limit }),
    awaitingFunds: ({ kind, key }, limit) => funds.all({ kind, key, limit }),
  };
}

/** Sends the writes that wait for each other's turn together. Every process may write, not only the one that keeps the read models. */
function groupedWrites({ storage }: Database): (statement: Compilable) => Promise<void> {
  let waiting: Compilable[] = [];
  let turn: Promise<void> | undefined;
  const send = async (): Promise<void> => {
    const statements = waiting;
    waiting = [];
    turn = undefined;
    await Promise.all(statements.map((statement) => storage.connection.rows(statement.compile())));
  };
  return (statement) => {
    waiting.push(statement);
    return (turn ??= storage.exclusively(send));
  };
}
