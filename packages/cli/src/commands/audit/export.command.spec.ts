import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";
import { runAsAuditor, runAudit } from "../../testing/audit-server.ts";
import {
  damagedInstance,
  eventsOf,
  noteOf,
  payment,
  registered,
  rightInstance,
  shownAccount,
} from "../../testing/audited-log.ts";
import { runCommand } from "../../testing/run-command.ts";

const events = eventsOf(registered);

describe("audit export", () => {
  it("writes a bundle that verifies, by the command and by its own verifier", async () => {
    const path = join(directoryOfTest(), "made", "bundle");
    expect(await runAudit(rightInstance(), ["export", path])).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `8 events are in ${path}; verify them with: hostledger audit verify ${path}\n`,
    });
    expect(readdirSync(path).toSorted()).toEqual([
      "README.txt",
      "balances.json",
      "checkpoint",
      "key",
      "manifest.json",
      "manifest.note",
      "schemas",
      "tile",
      "verify-bundle.mjs",
    ]);
    expect(JSON.parse(readFileSync(join(path, "balances.json"), "utf8"))).toEqual([
      { accountId: 7, balanceCents: "1000" },
    ]);
    expect(readdirSync(join(path, "schemas"))).toContain("BalanceCharged.v1.json");
    expect(await runCommand(["audit", "verify", path])).toMatchObject({ exitCode: 0 });
    execFileSync(process.execPath, [join(path, "verify-bundle.mjs"), path], { stdio: "pipe" });
  });

  it("answers JSON, accepts an empty directory, and an earlier checkpoint", async () => {
    const path = directoryOfTest();
    const since = join(directoryOfTest(), "checkpoint");
    writeFileSync(since, noteOf(events.slice(0, 5)));
    const { exitCode, stdout } = await runAsAuditor(rightInstance(), [
      "export",
      path,
      "--json",
      "--since",
      since,
    ]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ directory: path, size: 8 });
    expect(readdirSync(join(path, "checkpoints"))).toEqual(["5"]);
    expect(await runCommand(["audit", "verify", path])).toMatchObject({ exitCode: 0 });
  });

  it("writes the balances as of the checkpoint, despite later movements", async () => {
    const path = join(directoryOfTest(), "bundle");
    const later = eventsOf([...registered, ...payment("S", "500", "1500", 2)]);
    const moved = rightInstance({ events: () => later, shown: () => [shownAccount(1_500n, 8)] });
    expect(await runAudit(moved, ["export", path])).toMatchObject({ exitCode: 0 });
    expect(await runCommand(["audit", "verify", path])).toMatchObject({ exitCode: 0 });
  });

  it("writes a wrong balance unchanged, for the verification to find", async () => {
    const path = join(directoryOfTest(), "bundle");
    const wrong = rightInstance({ shown: () => [shownAccount(999n, 4)] });
    expect(await runAudit(wrong, ["export", path])).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await runCommand(["audit", "verify", path]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("the read model shows 999 cents");
  });

  it("writes the bundle of a log that is empty yet", async () => {
    const path = join(directoryOfTest(), "bundle");
    const empty = rightInstance({ events: () => [], note: noteOf([]), shown: () => [] });
    expect(await runAudit(empty, ["export", path])).toMatchObject({ exitCode: 0 });
    expect(await runCommand(["audit", "verify", path])).toMatchObject({ exitCode: 0 });
  });
});

describe("an export of a store that was changed", () => {
  it("continues past the damage, marks it, and exits with 1; the bundle's verification finds the same events", async () => {
    const path = join(directoryOfTest(), "bundle");
    const damaged = damagedInstance({ changed: 2, missing: 5 });
    const { exitCode, stderr } = await runAudit(damaged, ["export", path]);
    expect(exitCode).toBe(1);
    const lines = [
      `event 2 ${events[2]?.stream ?? ""}@${String(events[2]?.revision)} (${events[2]?.type ?? ""}): it was changed`,
      "event 5: it was deleted",
    ];
    expect(stderr).toBe(
      `${lines.join("\n")}\n2 events are not as the log has recorded; damage.json in the bundle names each.\n`,
    );
    expect(JSON.parse(readFileSync(join(path, "damage.json"), "utf8"))).toEqual(lines);
    const verified = await runCommand(["audit", "verify", path]);
    expect(verified.exitCode).toBe(1);
    expect(verified.stdout).toMatch(/^tiles: event 2 .*has another hash in the log's tiles/mu);
    expect(verified.stdout).toMatch(/^decoding: event 5: /mu);
    expect(verified.stdout).not.toMatch(/^files: /mu);
  });

  it("has the events that verify --live names", async () => {
    const live = await runAudit(damagedInstance({ changed: 2, missing: 5 }), ["verify", "--live"]);
    expect(live.exitCode).toBe(1);
    expect(live.stdout).toMatch(/^store: event 2 \S+@\d+ \(\S+\): it was changed$/mu);
    expect(live.stdout).toMatch(/^store: event 5: it was deleted$/mu);
  });
});

describe("an export that cannot be", () => {
  it("refuses a directory with files, and leaves it unchanged", async () => {
    const path = directoryOfTest();
    writeFileSync(join(path, "mine"), "");
    expect(await runAudit(rightInstance(), ["export", path])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `${path} is not empty: name an empty directory, or a new one.\n`,
    });
    expect(readdirSync(path)).toEqual(["mine"]);
  });

  it("refuses a target that is no directory", async () => {
    const file = join(directoryOfTest(), "file");
    writeFileSync(file, "");
    for (const path of [file, join(file, "below")]) {
      const { exitCode, stdout, stderr } = await runAudit(rightInstance(), ["export", path]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toMatch(/ could not be written: .*\n$/u);
    }
  });

  it.each([
    ["changed", events.map((event, index) => (index === 2 ? { ...event, data: "{}" } : event))],
    ["left out", events.slice(0, 5)],
  ])("leaves nothing if events are %s", async (_name, answers) => {
    const parent = directoryOfTest();
    const wrong = rightInstance({ events: () => answers });
    const { exitCode, stdout, stderr } = await runAudit(wrong, ["export", join(parent, "bundle")]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/events/u);
    expect(readdirSync(parent)).toEqual([]);
    const empty = join(parent, "empty");
    mkdirSync(empty);
    expect(await runAudit(wrong, ["export", empty])).toMatchObject({ exitCode: 1 });
    expect(readdirSync(empty)).toEqual([]);
  });

  it("is no bundle while it is unfinished", async () => {
    const path = join(directoryOfTest(), "bundle");
    const { listAuditedAccounts, ...rest } = rightInstance();
    const meanwhile: string[] = [];
    await runAudit(
      {
        ...rest,
        listAuditedAccounts: async (request, context) => {
          meanwhile.push(...readdirSync(path));
          expect(await runCommand(["audit", "verify", path])).toMatchObject({ exitCode: 1, stdout: "" });
          return await (listAuditedAccounts?.(request, context) ?? expect.fail());
        },
      },
      ["export", path],
    );
    expect(meanwhile).toEqual([expect.stringMatching(/^\.unfinished-/u)]);
    expect(existsSync(join(path, "manifest.json"))).toBe(true);
    expect(readdirSync(path).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("exits with 3 if nothing listens, and leaves nothing", async () => {
    const parent = directoryOfTest();
    const environment = { HOSTLEDGER_ADMIN_TOKEN: "staff-token-of-the-spec" };
    const line = ["audit", "export", join(parent, "bundle"), "--admin-url", "http://127.0.0.1:1"];
    expect(await runCommand(line, environment)).toMatchObject({ exitCode: 3, stdout: "" });
    expect(readdirSync(parent)).toEqual([]);
  });

  it("is wrong usage without a directory", async () => {
    expect(await runCommand(["audit", "export"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
