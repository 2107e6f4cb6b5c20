import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, onTestFinished, test } from "vitest";

import { ReadModelError, RowConflictError } from "../errors.ts";
import { openPlans } from "../testing/harness.fixture.ts";
import { planTables } from "../testing/plans.fixture.ts";
import { isDatabaseFailure } from "./sqlite-connection.ts";
import type { RowChanges, WriteRequest } from "./write-session.ts";
import { ThreadWriting, WriteThread, WriteThreadEndedError } from "./write-thread.ts";

const table: WriteRequest = {
  kind: "execute",
  sql: "create table units (id integer primary key, n integer)",
};
const ids: WriteRequest = { kind: "rows", sql: "select id from units order by id", parameters: [] };

function adding(...added: readonly number[]): WriteRequest {
  const insert = {
    sql: "insert into units values (?, ?) on conflict (id) do nothing",
    parameters: 2,
    adds: { table: "units", reflects: "select 1 from units where id = ? and n >= ?", key: [0] },
  };
  const changes: RowChanges = {
    statements: [insert],
    order: added.map(() => 0),
    parameters: added.flatMap((id) => [id, id * 10]),
  };
  return { kind: "change", changes };
}

/** Creates a connection with its own thread, and a second thread for use after the first. */
function writingOnOwnThread() {
  const answers = { count: 0 };
  const workers: Worker[] = [];
  const threads: WriteThread[] = [];
  const threadNow = (): WriteThread => {
    const last = threads.at(-1);
    if (last !== undefined && !last.hasEnded) return last;
    const worker = new Worker(new URL("./write.worker.ts", import.meta.url));
    workers.push(worker);
    const thread = new WriteThread(worker);
    threads.push(thread);
    return thread;
  };
  const path = join(directoryOfTest(), "units.sqlite");
  const writing = new ThreadWriting(path, () => (answers.count += 1), threadNow);
  onTestFinished(async () => {
    await writing.close();
    for (const worker of workers) await worker.terminate();
  });
  const endThread = async (): Promise<void> => {
    await workers.at(-1)?.terminate();
  };
  return { writing, answers, workers, endThread };
}

test("requests are carried out in order, and their rows returned", async () => {
  const { writing, answers } = writingOnOwnThread();
  const asked = [table, adding(1, 2), adding(3), ids].map((request) => writing.ask(request));
  expect((await Promise.all(asked)).at(-1)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(answers.count).toBe(4);
});

test("a large batch is written as a small one is, although its parts are sent early", async () => {
  const { writing } = writingOnOwnThread();
  await writing.ask(table);
  const many = Array.from({ length: 5_000 }, (_, index) => index);
  const parts = Array.from({ length: 50 }, (_, part) => many.slice(part * 100, part * 100 + 100));
  const asked = [
    writing.ask({ kind: "begin" }),
    ...parts.map((part) => writing.ask(adding(...part))),
    writing.ask({ kind: "commit" }),
  ];
  await Promise.all(asked);
  expect(await writing.ask(ids)).toEqual(many.map((id) => ({ id })));
});

test("errors come as they were thrown: of a key that is taken, of the statement, of the database", async () => {
  const { writing } = writingOnOwnThread();
  await writing.ask(table);
  await writing.ask(adding(1));
  // Repeating the event is allowed.
  await writing.ask(adding(1));
  await writing.ask({ kind: "run", sql: "update units set n = 1", parameters: [] });
  await expect(writing.ask(adding(1))).rejects.toThrow(new RowConflictError("units", [1]));
  const wrong = await writing.ask({ kind: "execute", sql: "no sql" }).catch((error: unknown) => error);
  expect(wrong).toMatchObject({ message: expect.stringContaining("syntax error") as unknown });
  expect(isDatabaseFailure(wrong)).toBe(false);
  await writing.ask({ kind: "execute", sql: "pragma max_page_count = 3" });
  const full = Array.from({ length: 2_000 }, (_, index) => index + 10);
  const refused = await writing.ask(adding(...full)).catch((error: unknown) => error);
  expect(isDatabaseFailure(refused)).toBe(true);
});

test("a failure in a transaction also fails the following requests, until the rollback", async () => {
  const { writing } = writingOnOwnThread();
  await writing.ask(table);
  const outcomes = await Promise.allSettled([
    writing.ask({ kind: "begin" }),
    writing.ask(adding(1)),
    writing.ask({ kind: "run", sql: "insert into nowhere values (1)", parameters: [] }),
    writing.ask(adding(2)),
    writing.ask({ kind: "commit" }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
    "rejected",
  ]);
  // Each error names its own cause.
  await expect(writing.ask(adding(3))).rejects.toThrow("no such table: nowhere");
  await writing.ask({ kind: "rollback" });
  expect(await writing.ask(ids)).toEqual([]);
});

test("a transaction that does not begin writes nothing", async () => {
  const { writing } = writingOnOwnThread();
  await writing.ask(table);
  await writing.ask({ kind: "begin" });
  const asked = [writing.ask({ kind: "begin" }), writing.ask(adding(1)), writing.ask({ kind: "commit" })];
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  await writing.ask({ kind: "rollback" });
  await writing.ask(adding(2));
  expect(await writing.ask(ids)).toEqual([{ id: 2 }]);
});

test("a transaction ends with its thread, and the next one has another thread", async () => {
  const { writing, workers, endThread } = writingOnOwnThread();
  await writing.ask(table);
  await Promise.all([writing.ask({ kind: "begin" }), writing.ask(adding(1))]);
  await endThread();
  // The second request stands for a checkpoint, which must not be stored without its rows.
  const outcomes = await Promise.allSettled([writing.ask(adding(2)), writing.ask({ kind: "commit" })]);
  expect(outcomes).toEqual([
    { status: "rejected", reason: expect.any(WriteThreadEndedError) as unknown },
    { status: "rejected", reason: expect.any(WriteThreadEndedError) as unknown },
  ]);
  await writing.ask({ kind: "rollback" });
  expect(await writing.ask(ids)).toEqual([]);
  await Promise.all([
    writing.ask({ kind: "begin" }),
    writing.ask(adding(3)),
    writing.ask({ kind: "commit" }),
  ]);
  expect(await writing.ask(ids)).toEqual([{ id: 3 }]);
  expect(workers).toHaveLength(2);
});

test("callers of a thread that ends get an error", async () => {
  const { writing, endThread } = writingOnOwnThread();
  await writing.ask(table);
  const long =
    "with recursive n(i) as (select 1 union all select i + 1 from n limit 3000000) select count(*) from n";
  const asked = writing.ask({ kind: "rows", sql: long, parameters: [] });
  const heard = expect(asked).rejects.toThrow(WriteThreadEndedError);
  await Promise.resolve();
  await endThread();
  await heard;
});

test("a closed thread accepts nothing", async () => {
  const { writing } = writingOnOwnThread();
  await writing.ask(table);
  await writing.close();
  await expect(writing.ask(ids)).rejects.toThrow(ReadModelError);
  // Closing twice is allowed.
  await writing.close();
});

test("the read models of a process are written by one thread, each by a connection of its own", async () => {
  const [first, second] = [
    await openPlans({ kind: "sqlite", path: join(directoryOfTest(), "first.sqlite") }),
    await openPlans({ kind: "sqlite", path: join(directoryOfTest(), "second.sqlite") }),
  ];
  for (const { storage } of [first, second]) await storage.tables(planTables).create();
  const row = { id: 1, title: "Small", price_cents: 499n, retired: false, stream: "plan-1" };
  const failing = first.storage.transaction(async () => {
    const writer = first.storage.tables(planTables).writer();
    writer.insert("plans", row);
    await writer.flush();
    await second.storage.transaction(async () => {
      const other = second.storage.tables(planTables).writer();
      other.insert("plans", row);
      await other.flush();
    });
    throw new Error("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  expect(await first.queries.selectFrom("plans").selectAll().execute()).toEqual([]);
  expect(await second.queries.selectFrom("plans").select("id").execute()).toEqual([{ id: 1 }]);
});
