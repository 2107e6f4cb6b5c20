import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { generateSigner, type LogEvent } from "@hostledger/audit/log";
import { ownMetadata } from "@hostledger/audit/testing";
import { describe, expect, it } from "vitest";
import { runAsAuditor, runAudit } from "../../testing/audit-server.ts";
import {
  eventsOf,
  noteOf,
  payment,
  registered,
  rightInstance,
  shownAccount,
  signer,
} from "../../testing/audited-log.ts";
import { runCommand } from "../../testing/run-command.ts";

const events = eventsOf(registered);
const later = eventsOf([...registered, ...payment("S", "500", "1500", 2)]);
const live = ["verify", "--live"];

function kept(note: string): string {
  const file = join(directoryOfTest(), "checkpoint");
  writeFileSync(file, note);
  return file;
}

async function bundle(of: readonly LogEvent[] = events): Promise<string> {
  const path = join(directoryOfTest(), "bundle");
  const outcome = await runAudit(rightInstance({ events: () => of, note: noteOf(of) }), ["export", path]);
  expect(outcome).toMatchObject({ exitCode: 0 });
  return path;
}

describe("audit verify --live", () => {
  it("finds nothing wrong in a right log, as staff and as an auditor", async () => {
    const { exitCode, stdout, stderr } = await runAudit(rightInstance(), live);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      "Verified 8 events of hostledger/spec: nothing is wrong.",
      "1 account: 20.00 EUR credited, 10.00 EUR charged, 0.00 EUR refunded.",
      "1 run, 0 of them unfinished.",
      "The log's own key was trusted: name a trusted key from another source with --key.",
      "",
    ]);
    expect(await runAsAuditor(rightInstance(), live)).toEqual({ exitCode, stdout, stderr });
  });

  it("names faults of the store's file, and derived files that were mended", async () => {
    const mended = "The file DATA/audit/positions did not fit the event store: it was made anew from it.";
    const getLogStatus = ({ checkFile }: { checkFile: boolean }) => ({
      mended: [mended],
      fileProblems: checkFile ? ["row 5 missing from index sqlite_autoindex_events_1"] : [],
    });
    const { exitCode, stdout } = await runAudit({ ...rightInstance(), getLogStatus }, live);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      "store: the file of the event store: row 5 missing from index sqlite_autoindex_events_1 (docs/runbook.md, StoreDamaged)",
    );
    expect(stdout).toContain(mended);
  });

  it("answers JSON", async () => {
    const { stdout } = await runAudit(rightInstance(), [...live, "--json", "--key", signer.verifierKey]);
    expect(JSON.parse(stdout)).toEqual({
      origin: "hostledger/spec",
      size: 8,
      key_trusted: true,
      finding_count: 0,
      findings: [],
      accounts: 1,
      totals: {
        adjusted: "0.00",
        credited: "20.00",
        charged: "10.00",
        refunded: "0.00",
        invoiced: "10.00",
        receipted: "20.00",
        corrected: "0.00",
        paid_out: "0.00",
      },
      runs: { started: 1, ended: 1, unfinished: 0 },
    });
  });

  it("prints a line for each finding that names its event, with exit code 1", async () => {
    const changed = events.map((event, index) =>
      index === 4
        ? { ...event, data: event.data.replace('"grossCents":"1000"', '"grossCents":"900"') }
        : event,
    );
    const { exitCode, stdout, stderr } = await runAudit(rightInstance({ events: () => changed }), live);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^\d+ findings\.\n$/u);
    expect(stdout).toContain("root: the events are not those that the checkpoint signs\n");
    expect(stdout).toContain("event 4 account-7@3 (BalanceCharged.v1): ");
    expect(stdout).toContain("of hostledger/spec: something is wrong.\n");
    const json = await runAudit(rightInstance({ events: () => changed }), [...live, "--json"]);
    expect(json).toMatchObject({ exitCode: 1, stderr });
    expect(JSON.parse(json.stdout)).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ index: 4, event: "account-7@3 (BalanceCharged.v1)" }),
      ]) as unknown,
    });
  });
});

describe("the balances shown", () => {
  const finding = (shown: string) =>
    `read-model: account 7 has 1000 cents by the events, the read model shows ${shown}\n`;

  it.each([
    ["another amount", [{ ...shownAccount(999n, 4) }], finding("999 cents")],
    ["no account", [], finding("no account")],
    ["what it was before", [shownAccount(2_000n, 1)], finding("2000 cents")],
    [
      "an account that nobody opened",
      [shownAccount(1_000n, 4), { accountId: 8n, balanceCents: 5n }],
      "read-model: account 8 has no account by the events, the read model shows 5 cents\n",
    ],
  ])(
    "are a finding if they show %s",
    async (_name, rows, line) => {
      const { exitCode, stdout } = await runAudit(rightInstance({ shown: () => rows }), live);
      expect(exitCode).toBe(1);
      expect(stdout).toContain(line);
    },
    20_000,
  );

  it("are right if money has moved since the checkpoint, as later events show", async () => {
    const moved = rightInstance({ events: () => later, shown: () => [shownAccount(1_500n, 8)] });
    expect(await runAudit(moved, live)).toMatchObject({ exitCode: 0 });
  });

  it("are right if an account was opened since the checkpoint", async () => {
    const opened = eventsOf([
      ...registered,
      [
        "account-8",
        "AccountOpened.v1",
        { accountId: 8, name: "sealed:v1:8:AAAA", vatExempt: true, openedAt: later[0]?.time },
      ],
    ]);
    const shown = () => [shownAccount(1_000n, 4), { accountId: 8n, balanceCents: 0n }];
    expect(await runAudit(rightInstance({ events: () => opened, shown }), live)).toMatchObject({
      exitCode: 0,
    });
  });

  it("are awaited if the read model or the log is behind", async () => {
    let looks = 0;
    const behind = rightInstance({
      shown: () => [(looks += 1) > 2 ? shownAccount(1_000n, 4) : shownAccount(2_000n, 1)],
    });
    expect(await runAudit(behind, live)).toMatchObject({ exitCode: 0 });
    expect(looks).toBe(3);
    let reads = 0;
    const ahead = rightInstance({
      events: () => ((reads += 1) > 3 ? later : events),
      shown: () => [shownAccount(1_500n, 8)],
    });
    expect(await runAudit(ahead, live)).toMatchObject({ exitCode: 0 });
  });

  it("are no finding about movements that the log lacks", async () => {
    const invented = rightInstance({ shown: () => [shownAccount(1_500n, 8)] });
    expect((await runAudit(invented, live)).stdout).toContain(finding("1500 cents"));
  });
});

describe("audit verify of a bundle", () => {
  it("needs no instance", async () => {
    const path = await bundle();
    const outcome = await runCommand(["audit", "verify", path]);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
    expect(outcome.stdout).toContain("Verified 8 events of hostledger/spec: nothing is wrong.\n");
  });

  it("names the changed parts", async () => {
    const path = await bundle();
    const file = join(path, "tile/entries/000.p/8");
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('"grossCents":"1000"') + 14] = 0x32;
    writeFileSync(file, bytes);
    const { exitCode, stdout } = await runCommand(["audit", "verify", path]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("event 4 account-7@3 (BalanceCharged.v1): ");
  });

  it.each([
    ["is truncated", "tile/entries/000.p/8", undefined, "tile/entries/000.p/8 is missing.\n"],
    ["has no manifest", "manifest.json", undefined, "manifest.json is missing.\n"],
    [
      "is of a newer version",
      "manifest.json",
      '{"format":"hostledger-audit-bundle","version":3}',
      "The bundle has version 3; this program reads version 2. Use a newer Hostledger.\n",
    ],
    ["is something else", "manifest.json", "{}", "This is no bundle of Hostledger's audit log.\n"],
    ["has no checkpoint", "checkpoint", "", "The checkpoint "],
  ])("refuses one that %s, in a sentence", async (_name, name, text, sentence) => {
    const path = await bundle();
    if (text === undefined) rmSync(join(path, name));
    else writeFileSync(join(path, name), text);
    const { exitCode, stdout, stderr } = await runCommand(["audit", "verify", path]);
    expect({ exitCode, stdout, lines: stderr.split("\n").length }).toEqual({
      exitCode: 1,
      stdout: "",
      lines: 2,
    });
    expect(stderr).toContain(sentence);
  });

  it("refuses a missing directory", async () => {
    expect(await runCommand(["audit", "verify", "no-such-directory"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "There is no bundle at no-such-directory.\n",
    });
  });
});

describe("a key that came by another way", () => {
  it("is believed, beside others", async () => {
    const keys = ["--key", generateSigner("other").verifierKey, "--key", signer.verifierKey];
    const { exitCode, stdout } = await runCommand(["audit", "verify", ...keys, await bundle()]);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("was believed");
  });

  it.each([
    ["a bundle", async () => runCommand(["audit", "verify", await bundle(), ...wrongKey])],
    ["a running log", () => runAudit(rightInstance(), [...live, ...wrongKey])],
  ])("refuses %s that it has not signed", async (_name, run) => {
    const { exitCode, stdout, stderr } = await run();
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^The checkpoint is not signed with a key that verifies it: .*\n$/u);
  });

  it("is wrong usage if it is invalid", async () => {
    const { exitCode, stderr } = await runCommand(["audit", "verify", "bundle", "--key", "nonsense"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("It must be a verifier key");
  });
});

const wrongKey = ["--key", generateSigner(signer.name).verifierKey];

describe("a checkpoint that was kept", () => {
  it("may be from the log's beginning", async () => {
    const since = kept(noteOf(events.slice(0, 5)));
    expect(await runAudit(rightInstance(), [...live, "--since", since])).toMatchObject({ exitCode: 0 });
    expect(await runCommand(["audit", "verify", await bundle(), "--since", since])).toMatchObject({
      exitCode: 0,
    });
  });

  it("detects a log that was rewritten and signed again, and one that was cut", async () => {
    const rewritten = events.map((event, index) =>
      index === 0 ? { ...event, metadata: ownMetadata.replace("account:7", "account:8") } : event,
    );
    const forged = await bundle(rewritten);
    expect(await runCommand(["audit", "verify", forged])).toMatchObject({ exitCode: 0 });
    const caught = await runCommand(["audit", "verify", forged, "--since", kept(noteOf(events.slice(0, 5)))]);
    expect(caught.exitCode).toBe(1);
    expect(caught.stdout).toContain(
      "consistency: the first 5 events are not those of an earlier checkpoint\n",
    );
    const cut = await runAudit(rightInstance(), [...live, "--since", kept(noteOf(later))]);
    expect(cut.exitCode).toBe(1);
    expect(cut.stdout).toContain("consistency: an earlier checkpoint has 10 events");
  });

  it("refuses one of another log, and an invalid one", async () => {
    const other = generateSigner("hostledger/other");
    const keys = ["--key", signer.verifierKey, "--key", other.verifierKey];
    const since = (note: string) => runAudit(rightInstance(), [...live, ...keys, "--since", kept(note)]);
    expect(await since(noteOf(events, other))).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "The earlier checkpoint is of another log: hostledger/other, not hostledger/spec.\n",
    });
    expect(await since("nonsense")).toMatchObject({ exitCode: 1, stdout: "" });
    expect((await since("x".repeat(100_000))).stderr).toMatch(
      /is no checkpoint: it is too large for one\.\n$/u,
    );
    const missing = await runCommand(["audit", "verify", "bundle", "--since", "no-such-file"]);
    expect(missing).toMatchObject({ exitCode: 1, stdout: "" });
    expect(missing.stderr).toMatch(
      /^no-such-file could not be read: .*there is no such file or directory\.\n$/u,
    );
  });
});

describe("an instance that does not answer as it should", () => {
  it("is refused if it leaves events out, or answers fewer", async () => {
    const short = rightInstance({ events: () => events.slice(0, 6) });
    expect(await runAudit(short, live)).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "The instance gave 6 of the 8 events of its log.\n",
    });
    const { readEvents } = rightInstance();
    const shifted: typeof readEvents = (request, context) =>
      readEvents?.({ ...request, firstIndex: request.firstIndex + 1n }, context) ?? expect.fail();
    expect(await runAudit({ ...rightInstance(), readEvents: shifted }, live)).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "The instance did not give event 0 of its log.\n",
    });
  });

  it("is refused for an invalid checkpoint, and a finding for an event without bytes", async () => {
    expect((await runAudit(rightInstance({ note: "nonsense" }), live)).stderr).toMatch(
      /^The instance's checkpoint cannot be read: .*\n$/u,
    );
    const odd = events.map((event, index) => (index === 3 ? { ...event, id: "no UUID" } : event));
    const { exitCode, stdout } = await runAudit(rightInstance({ events: () => odd }), live);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("decoding: event 3");
    expect(stdout).toContain("root: the events are not those that the checkpoint signs\n");
  });

  it("exits with 3 if it cannot be reached", async () => {
    const environment = { HOSTLEDGER_ADMIN_TOKEN: "staff-token-of-the-spec" };
    const outcome = await runCommand(["audit", ...live, "--admin-url", "http://127.0.0.1:1"], environment);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "" });
  });
});

it.each([
  [[]],
  [["bundle", "--live"]],
  [["bundle", "surplus"]],
  [["bundle", "--data", "data"]],
  [["bundle", "--admin-url", "http://127.0.0.1:1"]],
  [["bundle", "--audit-url", "http://127.0.0.1:1"]],
])("is wrong usage with %j", async (line) => {
  expect(await runCommand(["audit", "verify", ...line])).toMatchObject({ exitCode: 2, stdout: "" });
});
