import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { charged } from "../../testing/audit-answers.ts";
import { runAsAuditor, runAudit, streamed, type AuditImplementation } from "../../testing/audit-server.ts";
import { runCommand } from "../../testing/run-command.ts";

type Asked = Parameters<NonNullable<AuditImplementation["readEvents"]>>[0];

/** Answers the same event in two batches. */
function twoBatches(asked: Asked[] = []): AuditImplementation {
  return {
    readEvents(request) {
      asked.push(request);
      return streamed(
        { events: [charged], nextIndex: 42n, endIndex: 50n },
        { events: [], nextIndex: 45n, endIndex: 50n },
        { events: [{ ...charged, index: 45n }], nextIndex: 50n, endIndex: 50n },
      );
    },
  };
}

const nothing: AuditImplementation = { readEvents: () => streamed({ nextIndex: 50n, endIndex: 50n }) };

describe("audit events", () => {
  it("shows why an event does not count, instead of its content", async () => {
    const leftOut = "corrupt stream: it is there already; the staff had it passed over: A script.";
    const once: AuditImplementation = {
      readEvents: () => streamed({ events: [{ ...charged, leftOut }], nextIndex: 50n, endIndex: 50n }),
    };
    const line = `2026-03-01T10:00:00.000003Z  account-7@3  BalanceCharged: It does not count: ${leftOut} (by`;
    expect((await runAudit(once, ["events"])).stdout).toContain(line);
    expect(JSON.parse((await runAudit(once, ["events", "--json"])).stdout)).toMatchObject({
      left_out: leftOut,
    });
  });

  it("writes a line for each event", async () => {
    const line =
      "2026-03-01T10:00:00.000003Z  account-7@3  BalanceCharged: 11.90 EUR was charged for registration-1; " +
      "the balance is 88.10 EUR. (by account:7, request request-1)\n";
    expect(await runAudit(twoBatches(), ["events"])).toEqual({
      exitCode: 0,
      stdout: line + line,
      stderr: "",
    });
  });

  it("writes NDJSON, whose data is JSON, or as stored the very text", async () => {
    const { stdout } = await runAudit(twoBatches(), ["events", "--json"]);
    const [first = "", second = "", end] = stdout.split("\n");
    expect(end).toBe("");
    expect(JSON.parse(first)).toMatchObject({ index: 41, revision: 3, data: { invoiceId: 101 } });
    expect(JSON.parse(second)).toMatchObject({ index: 45 });
    const stored = await runAudit(twoBatches(), ["events", "--json", "--as-stored"]);
    expect(JSON.parse(stored.stdout.split("\n")[0] ?? "")).toMatchObject({
      data: charged.data,
      metadata: charged.metadata,
    });
  });

  it("writes no line as stored: that is for documents", async () => {
    const { exitCode, stderr } = await runAudit(twoBatches(), ["events", "--as-stored"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("add --json")]);
  });

  it("asks with every filter, the end of the period being part of it", async () => {
    const asked: Asked[] = [];
    const period = ["--from", "2026-03-01", "--to", "2026-03-01T10:00:00Z"];
    const filters = ["--stream", "account-7", "--account", "7", "--type", "BalanceCharged,InvoiceIssued"];
    await runAudit(twoBatches(asked), ["events", ...period, ...filters, "--limit", "5"]);
    expect(asked).toMatchObject([
      {
        stream: "account-7",
        accountId: 7n,
        types: ["BalanceCharged", "InvoiceIssued"],
        limit: 5n,
        fromTime: "2026-03-01T00:00:00.000000Z",
        toTime: "2026-03-01T10:00:00.000001Z",
        asStored: false,
      },
    ]);
  });

  it("reports that there is no such event", async () => {
    expect(await runAudit(nothing, ["events", "--account", "999"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "There is no such event.\n",
    });
  });

  it("ends with exit code 3 when the instance goes away in the middle", async () => {
    const { exitCode, stdout } = await runAudit(
      {
        readEvents: async function* () {
          yield* streamed({ events: [charged], nextIndex: 42n, endIndex: 50n });
          throw new ConnectError("gone", Code.Unavailable);
        },
      },
      ["events"],
    );
    expect(exitCode).toBe(3);
    expect(stdout).toContain("account-7@3");
  });

  it.each([[["--account", "x"]], [["--from", "2026-03-02", "--to", "2026-03-01"]], [["--limit", "0"]]])(
    "is wrong usage with %j",
    async (line) => {
      const outcome = await runAudit(nothing, ["events", ...line]);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    },
  );
});

describe("audit journal", () => {
  it("writes a trial balance, in which charges without a document are unexplained", async () => {
    const { stdout } = await runAudit(twoBatches([]), ["journal", "--format", "trial-balance"]);
    expect(stdout).toContain("account,opening_eur,debit_eur,credit_eur,closing_eur\r\n");
    expect(stdout).toContain("\r\nEquity:Unexplained,0.00,0.00,23.80,-23.80\r\n");
    expect(stdout).toMatch(/\r\nTotal,0\.00,(\d+\.\d\d),\1,0\.00\r\n$/u);
  });

  it.each([
    ["beancount", 'option "title" "Hostledger"'],
    ["ledger-cli", "commodity EUR"],
    ["csv", "date,time,kind,"],
  ])("writes %s", async (format, beginning) => {
    const asked: Asked[] = [];
    const { exitCode, stdout } = await runAudit(twoBatches(asked), ["journal", "--format", format]);
    expect(exitCode).toBe(0);
    expect(stdout.startsWith(beginning)).toBe(true);
    // Both charges of 11.90 lack a document.
    expect(stdout.match(/Equity:Unexplained(?: {2}|,)-11\.90/gu)).toHaveLength(2);
    expect(asked[0]?.types).toContain("AccountOpened");
  });

  it("reads everything for opening balances, also events stored later, because statements bring earlier days", async () => {
    const asked: Asked[] = [];
    const period = ["--from", "2026-03-01", "--to", "2026-03-31"];
    await runAudit(twoBatches(asked), ["journal", "--format", "csv", ...period]);
    const numbers = ["--datev-consultant", "1001", "--datev-client", "1"];
    const file = join(mkdtempSync(join(tmpdir(), "hostledger-cli-")), "EXTF_batch.csv");
    onTestFinished(() => {
      rmSync(join(file, ".."), { recursive: true });
    });
    const { exitCode } = await runAudit(twoBatches(asked), [
      "journal",
      "--format",
      "datev",
      ...period,
      ...numbers,
      "--output",
      file,
    ]);
    expect(exitCode).toBe(0);
    expect(readFileSync(file, "latin1")).toMatch(
      /^"EXTF";700;21;"Buchungsstapel";13;.*20260101;4;20260301;20260331;/u,
    );
    expect(asked.map(({ fromTime }) => fromTime)).toEqual([undefined, undefined]);
    expect(asked.map(({ toTime }) => toTime)).toEqual([undefined, undefined]);
  });

  it("divides a DATEV batch into files of 99,999 postings, and refuses it on standard output", async () => {
    const events = Array.from({ length: 100_000 }, () => charged);
    const log = { readEvents: () => streamed({ events, nextIndex: 1n, endIndex: 1n }) };
    const batch = ["journal", "--format", "datev", "--datev-consultant", "1001", "--datev-client", "1"];
    const period = ["--from", "2026-03-01", "--to", "2026-03-31"];
    const file = join(directoryOfTest(), "EXTF_batch.csv");
    const { exitCode } = await runAudit(log, [...batch, ...period, "--output", file]);
    expect(exitCode).toBe(0);
    const lines = [file, file.replace(".csv", "-2.csv")].map(
      (each) => readFileSync(each, "latin1").split("\r\n").length - 3,
    );
    expect(lines).toEqual([99_999, 1]);
    const refused = await runAudit(log, [...batch, ...period]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/^The period has more than the 99999 postings of one DATEV file: /u);
  });

  it("names unreadable events, and writes the others", async () => {
    const bad = { ...charged, data: "{}" };
    const { exitCode, stdout, stderr } = await runAudit(
      { readEvents: () => streamed({ events: [bad, charged], nextIndex: 2n, endIndex: 2n }) },
      ["journal", "--format", "csv"],
    );
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^Not in the journal: account-7@3 \(BalanceCharged\.v1\): BalanceCharged\.v1: .*\n$/u,
    );
    expect(stdout).toContain("registration-1");
  });

  it("names events that do not count in their stream, and books the others", async () => {
    const leftOut = "account-7@3 (AccountOpened.v1) stops its stream before it";
    const behind = { ...charged, id: "0b0d1c3e-5f5c-4d5f-9a3e-6f3f0a9d1c11", revision: 4n, leftOut };
    const { stdout, stderr } = await runAudit(
      { readEvents: () => streamed({ events: [charged, behind], nextIndex: 2n, endIndex: 2n }) },
      ["journal", "--format", "csv"],
    );
    expect(stderr).toBe(`Not in the journal: account-7@4 (BalanceCharged.v1): ${leftOut}.\n`);
    expect(stdout.match(/Equity:Unexplained/gu)).toHaveLength(1);
  });

  it("leaves an earlier journal unchanged until the new one is complete", async () => {
    const directory = directoryOfTest();
    const file = join(directory, "books.csv");
    writeFileSync(file, "the books of March", { mode: 0o644 });
    const line = ["journal", "--format", "csv", "--output", file];
    const breaking: AuditImplementation = {
      async *readEvents() {
        yield await Promise.resolve({ events: [charged], nextIndex: 42n, endIndex: 50n });
        throw new ConnectError("gone", Code.Unavailable);
      },
    };
    expect(await runCommand(["audit", ...line, "--data", directory])).toMatchObject({ exitCode: 3 });
    expect(await runAudit(breaking, line)).toMatchObject({ exitCode: 3 });
    expect(readFileSync(file, "utf8")).toBe("the books of March");
    expect(await runAudit(twoBatches(), line)).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, "utf8")).toMatch(/^date,time,kind,/u);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["books.csv"]);
  });

  it("writes directly into a target that is no regular file", async () => {
    expect(await runAudit(twoBatches(), ["journal", "--format", "csv", "--output", "/dev/null"])).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
    expect(statSync("/dev/null").isFile()).toBe(false);
  });

  it.each([
    [[]],
    [["--format", "sap"]],
    [["--format", "csv", "--from", "2026-03-02", "--to", "2026-03-01"]],
    [["--format", "csv", "--from", "2026-03-01T25:00:00Z"]],
    [["--format", "csv", "--to", "2026-02-30"]],
    [["--format", "csv", "--datev-consultant", "1001"]],
    [["--format", "beancount", "--datev-client", "1"]],
    [["--format", "ledger-cli", "--datev-account-length", "4"]],
    [["--format", "csv", "--datev-chart", "skr04"]],
    [["--format", "datev", "--datev-chart", "skr05"]],
    [["--format", "datev-customers"]],
    [["--format", "datev"]],
    [["--format", "datev", "--datev-consultant", "1", "--datev-client", "1"]],
    [["--format", "datev", "--datev-consultant", "1001", "--datev-client", "100000"]],
    [["--format", "datev", "--datev-consultant", "1001", "--datev-client", "1", "--from", "2026-01-01"]],
    [
      [
        "--format",
        "datev",
        "--datev-consultant",
        "1001",
        "--datev-client",
        "1",
        "--from",
        "2025-12-31",
        "--to",
        "2026-01-01",
      ],
    ],
    [
      [
        "--format",
        "datev",
        "--datev-consultant",
        "1001",
        "--datev-client",
        "1",
        "--datev-account-length",
        "9",
      ],
    ],
  ])("is wrong usage with %j", async (line) => {
    expect(await runCommand(["audit", "journal", ...line])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("audit vat", () => {
  const period = ["--from", "2026-01-01", "--to", "2026-03-31"];

  it("sums the documents of a period, as JSON too", async () => {
    const log = { readEvents: () => streamed({ events: [charged], nextIndex: 1n, endIndex: 1n }) };
    const { exitCode, stdout } = await runAudit(log, ["vat", ...period, "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ from: "2026-01-01", to: "2026-03-31", documents: 0 });
  });

  it.each([
    [[]],
    [["--from", "2026-01-01"]],
    [["--from", "2026-04-01", "--to", "2026-03-31"]],
    [["--from", "2026-02-30", "--to", "2026-03-31"]],
    [["--from", "2026-01-01T00:00:00Z", "--to", "2026-03-31"]],
    [[...period, "--json", "--format", "csv"]],
    [[...period, "--format", "xml"]],
  ])("is wrong usage with %j", async (line) => {
    expect(await runCommand(["audit", "vat", ...line])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("an auditor", () => {
  it("reaches the public address with a credential", async () => {
    expect(await runAsAuditor(twoBatches(), ["events"])).toMatchObject({ exitCode: 0 });
  });
});
