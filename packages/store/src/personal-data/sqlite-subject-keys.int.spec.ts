import { execFile } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";

import { TemporarilyUnavailableError } from "@hostledger/core";
import { realTiming } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { openSqliteSubjectKeys } from "./index.ts";
import { isOnDisk } from "./is-on-disk.fixture.ts";
import { expectRetainedKeysByYear } from "./retained-keys.fixture.ts";

function openFile() {
  const directory = directoryOfTest();
  const path = join(directory, "subject-keys.sqlite");
  const keys = openSqliteSubjectKeys({ path });
  onTestFinished(() => keys.close());
  return { directory, path, keys };
}

it("no longer has the bytes of a destroyed key, among many", async () => {
  const { directory, keys } = openFile();
  for (let n = 1; n <= 200; n += 1) await keys.obtain(`account-${String(n)}`);
  for (const subject of ["account-1", "account-100", "account-200"]) {
    const key = await keys.obtain(subject);
    if (key === "destroyed") throw new Error("destroyed");
    expect(isOnDisk(directory, key)).toBe(true);
    await expect(keys.destroy(subject)).resolves.toBe(true);
    expect(isOnDisk(directory, key)).toBe(false);
    await expect(keys.destroy(subject)).resolves.toBe(false);
    await expect(keys.obtain(subject)).resolves.toBe("destroyed");
  }
});

it("treats a key whose destruction was interrupted as destroyed, and destroys it", async () => {
  const { path, keys } = openFile();
  await keys.obtain("account-1");
  const other = new DatabaseSync(path);
  other.exec("UPDATE subject_keys SET key = zeroblob(length(key))");
  other.close();
  expect(await keys.find(["account-1"])).toEqual(new Map([["account-1", "destroyed"]]));
  await expect(keys.obtain("account-1")).resolves.toBe("destroyed");
  await expect(keys.destroy("account-1")).resolves.toBe(true);
  await expect(keys.destroy("account-1")).resolves.toBe(false);
});

it("finds all except a damaged key, which is not replaced", async () => {
  const { path, keys } = openFile();
  for (const subject of ["account-1", "account-2"]) await keys.obtain(subject);
  const other = new DatabaseSync(path);
  other.exec("UPDATE subject_keys SET key = x'01' WHERE subject = 'account-1'");
  other.close();
  expect([...(await keys.find(["account-1", "account-2"])).keys()]).toEqual(["account-2"]);
  await expect(keys.obtain("account-1")).rejects.toThrow(/the key of account-1 is damaged: restore the file/);
});

it("is accessible to its owner only", () => {
  const { path } = openFile();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("is refused with a sentence when it is damaged", () => {
  const { directory } = openFile();
  const path = join(directory, "damaged.sqlite");
  writeFileSync(path, "this is no database, whatever its name says".repeat(100));
  expect(() => openSqliteSubjectKeys({ path })).toThrow(/damaged\.sqlite does not open .* backup/);
});

it("reports that another process uses a file, and not that it is damaged", async () => {
  const { path, keys } = openFile();
  await keys.obtain("account-1");
  const other = new DatabaseSync(path);
  other.exec("BEGIN EXCLUSIVE");
  const inUse = /subject-keys\.sqlite is in use by another process/;
  expect(() => openSqliteSubjectKeys({ path, waitMs: 20 })).toThrow(inUse);
  other.exec("COMMIT");

  const waiting = openSqliteSubjectKeys({ path, waitMs: 20 });
  other.exec("BEGIN EXCLUSIVE");
  await expect(waiting.find(["account-1"])).rejects.toThrow(inUse);
  await expect(waiting.obtain("account-2")).rejects.toThrow(TemporarilyUnavailableError);
  other.exec("COMMIT");
  expect((await waiting.find(["account-1", "account-2"])).size).toBe(1);
  other.close();
  await waiting.close();
});

it("is awaited while everything else continues, also until the other's end", async () => {
  const { path, keys } = openFile();
  const other = new DatabaseSync(path);
  other.exec("BEGIN EXCLUSIVE");
  const made = keys.obtain("account-1");
  await realTiming.sleep(30);
  other.exec("COMMIT");
  other.close();
  expect(await made).toHaveLength(32);
});

it("returns the same key to two concurrent processes", async () => {
  const { path, keys } = openFile();
  const program = new URL("./obtain-keys.fixture.ts", import.meta.url).pathname;
  const ask = () => promisify(execFile)(process.execPath, [program, path, "50"]);
  const [one, two] = await Promise.all([ask(), ask()]);
  expect(one.stdout).toBe(two.stdout);
  expect((await keys.find(["account-7"])).size).toBe(1);
});

it("lists the keys of retained texts, the earliest years first", async () => {
  await expectRetainedKeysByYear(openFile().keys);
});
