import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { yieldToOthers } from "@hostledger/runtime/async";
import { CompiledQuery } from "kysely";
import { describe, expect, test } from "vitest";

import { ReadModelError, RowConflictError } from "../errors.ts";
import { openPlans, temporaryPath, type PlanSchema } from "../testing/harness.fixture.ts";
import { planTables } from "../testing/plans.fixture.ts";
import type { ParameterOf } from "../prepared-query.ts";
import { openReadModels, type ReadModelLocation } from "../read-models.ts";
import type { ProjectionStorage } from "../storage/storage.port.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

interface Stored {
  readonly storage: ProjectionStorage;
}

const row = { title: "Small", price_cents: 499n, retired: false, stream: "plan-1" };

const at = (path: string): ReadModelLocation => ({ kind: "sqlite", path });

async function createPlans({ storage }: Stored, ...ids: readonly number[]): Promise<void> {
  const tables = storage.tables(planTables);
  await tables.create();
  const writer = tables.writer();
  for (const id of ids) writer.insert("plans", { id, ...row });
  await writer.flush();
}

async function createRow({ storage }: Stored, id: number): Promise<void> {
  const writer = storage.tables(planTables).writer();
  writer.insert("plans", { id, ...row });
  await writer.flush();
}

test("migrations run once, however often the database is opened", async () => {
  const path = temporaryPath();
  for (let time = 0; time < 2; time++) {
    const database = await openReadModels<{ kysely_migration: { name: string } }>({
      location: at(path),
      service: "plans",
    });
    const migrations = await database.queries.selectFrom("kysely_migration").select("name").execute();
    expect(migrations.map(({ name }) => name)).toEqual([
      "0001-bookkeeping",
      "0002-parked",
      "0003-lineage",
      "0004-stopped-streams",
    ]);
    await database.close();
  }
});

describe("refuses", () => {
  test("a database of a newer version", async () => {
    const path = temporaryPath();
    await (await openPlans(at(path))).close();
    const newer = new SqliteConnection(path);
    newer.execute("insert into kysely_migration values ('9999-from-the-future', '2030-01-01T00:00:00.000Z')");
    newer.close();
    await expect(openPlans(at(path))).rejects.toThrow(
      `${path} was written by a newer version of Hostledger (it has the migration 9999-from-the-future)`,
    );
  });

  test("another service's database", async () => {
    const path = temporaryPath();
    await (await openPlans(at(path))).close();
    await expect(openReadModels({ location: at(path), service: "account" })).rejects.toThrow(
      new ReadModelError(`${path} belongs to the service plans, not to account`),
    );
  });

  test("a directory", async () => {
    const path = dirname(temporaryPath());
    await expect(openPlans(at(path))).rejects.toThrow(`${path} cannot be used as a read-model database: `);
    await expect(openPlans(at(path))).rejects.toThrow(ReadModelError);
  });
});

describe("a damaged file", () => {
  const letter = Buffer.from("This is a letter, and a long one, so that it is no empty database either.");
  const pageBytes = 4_096;
  /** Creates a file with several pages of rows. */
  async function filled(path: string): Promise<Buffer> {
    const database = await openPlans(at(path));
    await createPlans(database, ...Array.from({ length: 500 }, (_, index) => index + 1));
    await database.close();
    return readFileSync(path);
  }

  test.each([
    ["that is no database at all", () => letter],
    ["whose first page is garbage", (whole: Buffer) => garbled(whole, 0)],
    ["with one page of garbage", (whole: Buffer) => garbled(whole, Math.floor(whole.length / pageBytes) - 2)],
    ["that was cut off", (whole: Buffer) => whole.subarray(0, whole.length - 3 * pageBytes)],
  ])("%s is set aside and rebuilt, with a log entry", async (_, damage) => {
    const path = temporaryPath();
    const damaged = Buffer.from(damage(await filled(path)));
    writeFileSync(path, damaged);
    const logged: unknown[] = [];
    const logger = { error: (...line: unknown[]) => void logged.push(line) };
    const database = await openReadModels<PlanSchema>({ location: at(path), service: "plans", logger });
    await createPlans(database, 1);
    expect(await database.queries.selectFrom("plans").select("id").execute()).toEqual([{ id: 1 }]);
    await database.close();
    expect(readFileSync(`${path}.damaged`).equals(damaged)).toBe(true);
    expect(logged).toEqual([
      [
        expect.objectContaining({ path, aside: `${path}.damaged` }),
        "a damaged read-model file was set aside, and is built anew",
      ],
    ]);
    // An intact file stays.
    const again = await openReadModels<PlanSchema>({ location: at(path), service: "plans", logger });
    expect(await again.queries.selectFrom("plans").select("id").execute()).toHaveLength(1);
    await again.close();
    expect(logged).toHaveLength(1);
  });

  function garbled(whole: Buffer, page: number): Buffer {
    return Buffer.from(whole).fill(0xa5, page * pageBytes, (page + 1) * pageBytes);
  }
});

describe("a transaction of which everything is asked for at once", () => {
  const endWith = (storage: ProjectionStorage) => (): Promise<void> => createRow({ storage }, 9);
  const stored = async (path: string): Promise<readonly number[]> => {
    const { queries } = await openPlans(at(path));
    return (await queries.selectFrom("plans").select("id").orderBy("id").execute()).map(({ id }) => id);
  };

  test("is committed with its end", async () => {
    const path = temporaryPath();
    const { storage } = await openPlans(at(path));
    await createPlans({ storage }, 1);
    await storage.transaction(() => createRow({ storage }, 2), endWith(storage));
    expect(await stored(path)).toEqual([1, 2, 9]);
  });

  test("fails if a row cannot be written, and names the row", async () => {
    const path = temporaryPath();
    const { storage } = await openPlans(at(path));
    await createPlans({ storage }, 1);
    const asked = async (): Promise<void> => {
      const writer = storage.tables(planTables).writer();
      writer.reflect(7n);
      for (const id of [2, 1]) writer.insert("plans", { id, ...row });
      await writer.flush();
    };
    await expect(storage.transaction(asked, endWith(storage))).rejects.toThrow(RowConflictError);
    expect(await stored(path)).toEqual([1]);
    await storage.transaction(() => createRow({ storage }, 3));
    expect(await stored(path)).toEqual([1, 3]);
  });

  test("fails if its work throws before all requests are sent", async () => {
    const path = temporaryPath();
    const { storage } = await openPlans(at(path));
    await createPlans({ storage }, 1);
    const broken = (): Promise<void> => {
      void createRow({ storage }, 2);
      throw new Error("broken");
    };
    await expect(storage.transaction(broken, endWith(storage))).rejects.toThrow("broken");
    expect(await stored(path)).toEqual([1]);
  });
});

describe("queries", () => {
  test("Kysely reads written values, in any form", async () => {
    const database = await openPlans(at(temporaryPath()));
    await createPlans(database, 1, 2, 3);
    const { queries } = database;
    const found = await queries
      .selectFrom("plans")
      .select(["id", "title"])
      .where("id", "in", [1, 3])
      .execute();
    expect(found).toEqual([
      { id: 1, title: "Small" },
      { id: 3, title: "Small" },
    ]);
    const snapshot = await queries.transaction().execute(async (transaction) => {
      const before = await transaction.selectFrom("plans").select("id").execute();
      await database.storage.connection.execute("delete from plans");
      const after = await transaction.selectFrom("plans").select("id").execute();
      return { before: before.length, after: after.length };
    });
    expect(snapshot).toEqual({ before: 3, after: 3 });
  });

  test("a prepared query sees the latest writes, also in the same turn and at a transaction's end", async () => {
    const database = await openPlans(at(temporaryPath()));
    await createPlans(database, 1, 2, 3);
    const { connection, transaction } = database.storage;
    const all = database.prepared((db) => db.selectFrom("plans").select("id"));
    const seen = async (): Promise<number> => (await all.all({})).length;
    expect(await seen()).toBe(3);
    await connection.execute("delete from plans where id = 1");
    expect(await seen()).toBe(2);
    await connection.run(CompiledQuery.raw("delete from plans where id = 2"));
    expect(await seen()).toBe(1);
    await connection.rows(CompiledQuery.raw("delete from plans where id = 3 returning id"));
    expect(await seen()).toBe(0);
    await transaction(async () => {
      await createRow(database, 4);
      // Rows are invisible before the commit.
      expect(await seen()).toBe(0);
    });
    expect(await seen()).toBe(1);
    const broken = transaction(async () => {
      await createRow(database, 5);
      expect(await seen()).toBe(1);
      throw new Error("broken");
    });
    await expect(broken).rejects.toThrow("broken");
    expect(await seen()).toBe(1);
  });

  test("the queries of a turn share one snapshot, and the next turn's another", async () => {
    const path = temporaryPath();
    const database = await openPlans(at(path));
    await createPlans(database, 1, 2, 3);
    const other = new SqliteConnection(path);
    const all = database.prepared((db) => db.selectFrom("plans").select("id"));
    expect(await all.all({})).toHaveLength(3);
    other.execute("delete from plans where id = 1");
    expect(await all.all({})).toHaveLength(3);
    await yieldToOthers();
    expect(await all.all({})).toHaveLength(2);
    other.close();
  });

  test("queries in every turn do not keep the write-ahead log from being folded into the file", async () => {
    const path = temporaryPath();
    const database = await openPlans(at(path));
    await createPlans(database, 1);
    const all = database.prepared((db) => db.selectFrom("plans").select("title"));
    const commits = 3_000;
    for (let commit = 0; commit < commits; commit += 1) {
      await all.all({});
      await database.storage.connection.execute(`update plans set title = '${String(commit)}' where id = 1`);
      await all.all({});
      if (commit % 10 === 0) await yieldToOthers();
    }
    expect(await all.all({})).toEqual([{ title: String(commits - 1) }]);
    // SQLite checkpoints the WAL at 1,000 pages of 4 KiB; without checkpoints it would be three times as large.
    expect(statSync(`${path}-wal`).size).toBeLessThan(6 * 1_048_576);
  });

  test("a prepared query is compiled once and has named parameters", async () => {
    const database = await openPlans(at(temporaryPath()));
    await createPlans(database, 1, 2, 3);
    const after = database.prepared((db, parameter: ParameterOf<{ id: number; limit: number }>) =>
      db
        .selectFrom("plans")
        .select(["id", "price_cents"])
        .where("id", ">", parameter("id"))
        .orderBy("id")
        .limit(parameter("limit")),
    );
    expect(await after.all({ id: 1, limit: 10 })).toEqual([
      { id: 2, price_cents: 499 },
      { id: 3, price_cents: 499 },
    ]);
    expect(await after.first({ id: 2, limit: 1 })).toEqual({ id: 3, price_cents: 499 });
    expect(await after.first({ id: 3, limit: 1 })).toBeUndefined();
  });

  test("a prepared query finds the table that replaced its table", async () => {
    const database = await openPlans(at(temporaryPath()));
    await createPlans(database, 1);
    const all = database.prepared((db, _parameter: ParameterOf<Record<string, never>>) =>
      db.selectFrom("plans").selectAll(),
    );
    expect(await all.all({})).toHaveLength(1);
    const { connection } = database.storage;
    await connection.execute(
      "create table other (id integer primary key, added text, title text, log_position integer)",
    );
    await connection.execute("insert into other values (9, 'new', 'Other', 5)");
    await database.storage.transaction(async () => {
      await connection.execute("drop table plans");
      await connection.execute("alter table other rename to plans");
    });
    expect(await all.all({})).toEqual([{ id: 9, added: "new", title: "Other", log_position: 5 }]);
  });

  test("they cannot write", async () => {
    const database = await openPlans(at(temporaryPath()));
    await createPlans(database, 1);
    // The query type allows no writes; at run time, the read-only connection refuses them.
    await expect(database.prepared(() => smuggled).all({})).rejects.toThrow("readonly");
  });
});

const smuggled = { compile: () => CompiledQuery.raw("delete from plans") };
