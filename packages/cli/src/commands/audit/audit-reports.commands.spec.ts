import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "@hostledger/core";
import { rejectionError } from "@hostledger/rpc";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";
import { charged, explanation, statement } from "../../testing/audit-answers.ts";
import { runAudit } from "../../testing/audit-server.ts";
import { runCommand } from "../../testing/run-command.ts";

describe("audit balance", () => {
  const answer = { getBalanceAsOf: () => ({ balanceCents: -5n, revision: 4n }) };

  it("shows a balance to a person and to a program", async () => {
    const line = ["balance", "7", "--as-of", "2026-03-01"];
    expect(await runAudit(answer, line)).toEqual({
      exitCode: 0,
      stdout: "Account 7 had -0.05 EUR at 2026-03-01T23:59:59.999999Z, up to its event 4.\n",
      stderr: "",
    });
    const { stdout } = await runAudit(answer, [...line, "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      account_id: 7,
      as_of: "2026-03-01T23:59:59.999999Z",
      balance: "-0.05",
      revision: 4,
    });
  });

  it.each([
    "There is no account 7.",
    "Account 7 was opened at 2026-03-01T00:00:00.000000Z: it had no balance yet at 2026-01-01T00:00:00.000000Z.",
    "2027-01-01T00:00:00.000000Z is in the future: nobody knows the events up to it yet.",
  ])("prints a refusal in one sentence: %s", async (sentence) => {
    const refuse = (): never => {
      throw rejectionError(rejection("validation-failed", sentence));
    };
    expect(await runAudit({ getBalanceAsOf: refuse }, ["balance", "7", "--as-of", "2026-01-01"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `${sentence}\n`,
    });
  });

  it.each([
    [["7"]],
    [["0", "--as-of", "2026-01-01"]],
    [["7", "--as-of", "yesterday"]],
    [["7", "--as-of", "2026-02-30"]],
  ])("is wrong usage with %j", async (line) => {
    expect(await runCommand(["audit", "balance", ...line])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("audit statement", () => {
  const answer = { getStatement: () => statement };

  it("asks for the period and writes text", async () => {
    const asked: unknown[] = [];
    const { exitCode, stdout } = await runAudit(
      {
        getStatement: ({ accountId, fromTime, asOf }) => {
          asked.push({ accountId, fromTime, asOf });
          return statement;
        },
      },
      ["statement", "7", "--from", "2026-03-01", "--as-of", "2026-03-02"],
    );
    expect(exitCode).toBe(0);
    expect(asked).toEqual([
      { accountId: 7n, fromTime: "2026-03-01T00:00:00.000000Z", asOf: "2026-03-02T23:59:59.999999Z" },
    ]);
    expect(stdout).toContain("100.00");
    expect(stdout).toMatch(/2026-7-000001 +-11\.90 +88\.10 +=HYPERLINK/u);
    expect(stdout).toMatch(/88\.10 +Closing balance/u);
  });

  it("writes JSON, by either option", async () => {
    const byFormat = await runAudit(answer, ["statement", "7", "--format", "json"]);
    const byJson = await runAudit(answer, ["statement", "7", "--json"]);
    expect(byJson).toEqual(byFormat);
    expect(JSON.parse(byJson.stdout)).toMatchObject({
      account_id: 7,
      name: "Ada",
      from: null,
      opening_balance: "100.00",
      closing_balance: "88.10",
      movements: [{ amount: "-11.90", balance_after: "88.10", document_id: 101, request_id: "request-1" }],
    });
  });

  it("writes CSV without a formula in it", async () => {
    const { stdout } = await runAudit(answer, ["statement", "7", "--format", "csv"]);
    expect(stdout).toContain(`,-11.90,88.10,"'=HYPERLINK(""x"")",registration-1,`);
  });

  it("writes a PDF to a file that only its owner may read", async () => {
    const file = join(directoryOfTest(), "statement.pdf");
    const { exitCode, stdout } = await runAudit(answer, [
      "statement",
      "7",
      "--format",
      "pdf",
      "--output",
      file,
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
    expect(readFileSync(file).subarray(0, 5).toString()).toBe("%PDF-");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("reports that a file cannot be written", async () => {
    const file = join(directoryOfTest(), "none", "statement.txt");
    const { exitCode, stderr } = await runAudit(answer, ["statement", "7", "--output", file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${file} could not be written`);
  });

  it.each([
    [["7", "--format", "xml"]],
    [["7", "--json", "--format", "csv"]],
    [["x"]],
    [["7", "--from", "1.1.2026"]],
  ])("is wrong usage with %j", async (line) => {
    expect(await runCommand(["audit", "statement", ...line])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("audit explain", () => {
  it("shows the steps to a person", async () => {
    const { exitCode, stdout } = await runAudit({ explainInvoice: () => explanation }, ["explain", "101"]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "invoice    2026-7-000001 (id 101)",
        "account    7",
        "cause      registration-1",
        "gross EUR  11.90",
        "outcome    open",
        "",
        `${charged.time}  charge  11.90 EUR was charged. (by account:7, request request-1)  account-7@3`,
        "",
      ].join("\n"),
    );
  });

  it("prints the stored events as JSON", async () => {
    const { stdout } = await runAudit({ explainInvoice: () => explanation }, ["explain", "101", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      number: "2026-7-000001",
      invoice_id: 101,
      gross: "11.90",
      outcome: "open",
      steps: [
        { kind: "charge", request_id: "request-1", event: { index: 41, revision: 3, data: charged.data } },
      ],
    });
  });

  it("reports that an invoice does not exist", async () => {
    const refuse = (): never => {
      throw rejectionError(rejection("not-found", "There is no invoice 999."));
    };
    expect(await runAudit({ explainInvoice: refuse }, ["explain", "999"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "There is no invoice 999.\n",
    });
  });
});
