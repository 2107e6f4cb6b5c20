import { existsSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { run } from "../cli.ts";
import type { System } from "../command-context.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { useDirectory } from "../testing/data-directory.ts";
import { nothing } from "../testing/fake-system.ts";

const directory = useDirectory();

async function runWith(system: Partial<System>, ...line: string[]) {
  const io = capturedIo();
  const exitCode = await run(line, io, { loadSystem: () => Promise.resolve({ ...nothing, ...system }) });
  return { exitCode, stdout: io.stdout(), stderr: io.stderr() };
}

const made = { position: 42n, events: 41, files: 6, notices: [] };

describe("hostledger backup and restore", () => {
  it("print the set's contents, and nothing else on stdout", async () => {
    const notices = ["The keys are elsewhere."];
    for (const command of ["backup", "restore"]) {
      const both = () => Promise.resolve({ ...made, notices });
      const outcome = await runWith({ makeBackup: both, restoreBackup: both }, command, "set", "--json");
      expect(outcome).toMatchObject({ exitCode: 0, stderr: "The keys are elsewhere.\n" });
      expect(JSON.parse(outcome.stdout)).toEqual({ position: 42, events: 41, files: 6 });
    }
    const far = () => Promise.resolve({ ...made, position: 2n ** 70n });
    const outcome = await runWith({ makeBackup: far }, "backup", "set", "--json");
    expect(JSON.parse(outcome.stdout)).toMatchObject({ position: String(2n ** 70n) });
  });

  it("use the named data directory", async () => {
    const seen: string[] = [];
    const both: System["makeBackup"] = ({ configuration, set, isCopy = false }) => {
      seen.push(`${set} ${configuration.data}${isCopy ? ", a copy" : ""}`);
      return Promise.resolve(made);
    };
    await runWith({ makeBackup: both }, "backup", "set", "--data", "here");
    await runWith({ restoreBackup: both }, "restore", "set");
    await runWith({ restoreBackup: both }, "restore", "set", "--copy");
    expect(seen).toEqual(["set here", "set ./data", "set ./data, a copy"]);
  });

  it.each([
    [{ name: "BackupError" }, 1, "It said no"],
    [{ name: "TransferError" }, 1, "It said no"],
    [{ name: "LogContradictionError" }, 1, "It said no"],
    [{ code: "ENOSPC" }, 1, "The disk of set or ./data is full. Existing files are unchanged."],
    [
      { code: "EACCES", path: "set/a" },
      1,
      "This user must be able to write set/a: this user may not use it.",
    ],
    [{ code: "ENOTDIR", path: "set" }, 1, "set cannot be used, since it is no directory: name directories."],
    [{ name: "EventStoreUnavailableError" }, 3, "It said no"],
  ] as const)("print the error in one sentence: %o", async (more, code, sentence) => {
    const failing = () => Promise.reject(Object.assign(new Error("It said no"), more));
    const outcome = await runWith({ makeBackup: failing }, "backup", "set");
    expect(outcome).toMatchObject({ exitCode: code, stdout: "" });
    expect(outcome.stderr.split("\n")).toEqual([sentence, ""]);
  });

  it.each([
    [13, "The disk of set or ./data is full. Existing files are unchanged.\n"],
    [8, "This user must be able to write set or ./data: SQLite said no.\n"],
  ])("do not name a disk if a copy of a database may be on either: %i", async (errcode, stderr) => {
    const error = Object.assign(new Error("SQLite said no"), { code: "ERR_SQLITE_ERROR", errcode });
    const outcome = await runWith({ makeBackup: () => Promise.reject(error) }, "backup", "set");
    expect(outcome).toMatchObject({ exitCode: 1, stderr });
  });

  it("refuse missing sources, and create nothing", async () => {
    const real = await import("@hostledger/host");
    const [set, data] = [join(directory().path, "set"), join(directory().path, "data")];
    expect(await runWith(real, "backup", set, "--data", data)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `There is nothing to back up in ${data}: name its data directory with --data.\n`,
    });
    expect(await runWith(real, "restore", set, "--data", data)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^There is no backup in [^\n]*\.\n$/),
    });
    expect([existsSync(set), existsSync(data)]).toEqual([false, false]);
    expect((await runWith(real, "restore")).exitCode).toBe(2);
  });
});
