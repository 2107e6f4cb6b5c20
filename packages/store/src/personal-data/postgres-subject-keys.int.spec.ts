import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { TemporarilyUnavailableError } from "@hostledger/core";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { openPostgresSubjectKeys, SubjectKeyError, type SubjectKeys } from "./index.ts";
import { expectRetainedKeysByYear } from "./retained-keys.fixture.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(async () => {
  await server.stop();
});
beforeEach(async () => {
  await query("drop schema if exists hostledger_keys cascade");
});

async function open(): Promise<SubjectKeys> {
  const keys = await openPostgresSubjectKeys({ url: server.url });
  onTestFinished(() => keys.close());
  return keys;
}

async function query(text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe("the subject keys in PostgreSQL", () => {
  it("are made once, differ, and are the same for the next process", async () => {
    const first = await open();
    const one = await first.obtain("account-1");
    const two = await first.obtain("account-2");

    expect(one).toHaveLength(32);
    expect(one).not.toEqual(two);
    expect(await first.obtain("account-1")).toEqual(one);
    const restarted = await open();
    expect(await restarted.find(["account-1", "account-2", "account-3"])).toEqual(
      new Map([
        ["account-1", one],
        ["account-2", two],
      ]),
    );
  });

  it("report that they are unavailable while PostgreSQL is down, and work again afterwards", async () => {
    const keys = await open();
    const key = await keys.obtain("account-1");
    await server.crash();
    try {
      for (const asked of [keys.find(["account-1"]), keys.obtain("account-2"), keys.destroy("account-1")])
        await expect(asked).rejects.toThrow(TemporarilyUnavailableError);
    } finally {
      await server.start();
    }
    await expect.poll(() => keys.obtain("account-1").catch(() => undefined)).toEqual(key);
  });

  it("report the same if PostgreSQL has lost its data, and create nothing", async () => {
    const keys = await open();
    const key = await keys.obtain("account-1");
    await query("alter schema hostledger_keys rename to kept_keys");
    for (const ask of [
      () => keys.find(["account-1"]),
      () => keys.obtain("account-2"),
      () => keys.firstEvent(),
    ])
      await expect(ask()).rejects.toThrow(TemporarilyUnavailableError);
    await query("alter schema kept_keys rename to hostledger_keys");
    expect(await keys.obtain("account-1")).toEqual(key);
  });

  it("keep whose store they belong to, which nothing changes afterwards", async () => {
    const keys = await open();
    expect(await keys.firstEvent()).toBeUndefined();
    await keys.markFirstEvent("one");
    await keys.markFirstEvent("another");
    expect(await (await open()).firstEvent()).toBe("one");
  });

  it("are not made in a database that has come without its data in place of that which had them", async () => {
    const keys = await open();
    const one = await keys.obtain("account-1");
    await query("create table kept as select * from hostledger_keys.subject_keys");
    onTestFinished(async () => {
      await query("drop table kept");
    });
    // A process creates the tables even if its start is then refused.
    await query("delete from hostledger_keys.subject_keys");

    await expect(keys.obtain("account-2")).rejects.toThrow("had keys and has none now");
    expect(await query("select from hostledger_keys.subject_keys")).toEqual([]);
    await query("insert into hostledger_keys.subject_keys select * from kept");
    expect(await keys.obtain("account-1")).toEqual(one);
    expect(await keys.obtain("account-2")).toHaveLength(32);
  });

  it("are the same for two concurrent processes, also if both create the schema", async () => {
    const program = fileURLToPath(new URL("./obtain-postgres-keys.fixture.ts", import.meta.url));
    const ask = () => promisify(execFile)(process.execPath, [program, server.url, "50"]);
    const [one, two] = await Promise.all([ask(), ask()]);

    expect(one.stdout.trim().split("\n")).toHaveLength(50);
    expect(one.stdout).toBe(two.stdout);
  });

  it("are the same for fifty calls of one process", async () => {
    const keys = await open();
    const asked = await Promise.all(Array.from({ length: 50 }, () => keys.obtain("account-1")));
    expect(new Set(asked.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
  });

  it("are destroyed for ever, also one that never existed", async () => {
    const keys = await open();
    await keys.obtain("account-1");

    expect(await keys.destroy("account-1")).toBe(true);
    expect(await keys.destroy("account-1")).toBe(false);
    expect(await keys.destroy("account-2")).toBe(false);
    const restarted = await open();
    expect(await restarted.obtain("account-1")).toBe("destroyed");
    expect(await restarted.obtain("account-2")).toBe("destroyed");
  });

  it("leave no bytes in the tables' files when they are destroyed", async () => {
    const keys = await open();
    for (let n = 1; n <= 200; n += 1) await keys.obtain(`account-${String(n)}`);
    const other = await keys.obtain("account-101");
    for (const subject of ["account-1", "account-100", "account-200"]) {
      const known = await keys.obtain(subject);
      await query("checkpoint");
      expect(await isInTables(known)).toBe(true);
      await keys.destroy(subject);
      await query("checkpoint");
      expect(await isInTables(known)).toBe(false);
    }
    expect(await isInTables(other)).toBe(true);
    expect(await keys.obtain("account-101")).toEqual(other);
  });

  it("store how far the log was searched for erasures", async () => {
    const keys = await open();
    expect(await keys.erasuresUntil()).toBeUndefined();
    await keys.markErasuresUntil("7");
    await keys.markErasuresUntil("12345678901234567890");
    expect(await (await open()).erasuresUntil()).toBe("12345678901234567890");
  });

  it("are found except for a damaged one, which is not replaced", async () => {
    const keys = await open();
    for (const subject of ["account-1", "account-2"]) await keys.obtain(subject);
    await query("update hostledger_keys.subject_keys set key = '\\x00' where subject = 'account-1'");
    expect([...(await keys.find(["account-1", "account-2"])).keys()]).toEqual(["account-2"]);
    await expect(keys.obtain("account-1")).rejects.toThrow(SubjectKeyError);
  });

  it("survive the end of their sessions", async () => {
    const keys = await open();
    const known = await keys.obtain("account-1");
    await query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hostledger-keys'",
    );
    await expect.poll(() => keys.obtain("account-1").catch(() => undefined)).toEqual(known);
  });
});

it("do not open without PostgreSQL", async () => {
  await expect(openPostgresSubjectKeys({ url: "postgres://a:b@127.0.0.1:1/none" })).rejects.toThrow(
    "The keys of personal data in PostgreSQL at postgres://127.0.0.1:1/none: nobody listens there.",
  );
});

async function isInTables(bytes: Uint8Array | string): Promise<boolean> {
  const [row] = await query("show data_directory");
  const folder = join(String(Object.values(row ?? {})[0]), "base");
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(bytes),
  );
}

it("lists the keys of retained texts, the earliest years first", async () => {
  await expectRetainedKeysByYear(await open());
});
