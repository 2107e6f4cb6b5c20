import { readFileSync } from "node:fs";
import { join } from "node:path";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const shown = {
  invoice: {
    id: 12n,
    number: "2026-7-C000001",
    action: "refund",
    gateway: "balance",
    netCents: -280n,
    vatCents: -53n,
    grossCents: -333n,
    vatRateBasisPoints: 1_900,
    duration: 1,
    delivered: true,
    domainId: 3n,
    createdAt: "2026-11-23",
  },
  accountId: 7n,
  cause: "registration-1",
  correctsNumber: "2026-7-000001",
  reason: "Outage",
};
const document = {
  invoice_id: 12,
  number: "2026-7-C000001",
  account_id: 7,
  action: "refund",
  gateway: "balance",
  net: "-2.80",
  vat: "-0.53",
  vat_rate: 19,
  gross: "-3.33",
  duration: 1,
  delivered: true,
  domain_id: 3,
  server_id: null,
  plan_id: null,
  cause: "registration-1",
  corrects_number: "2026-7-000001",
  reason: "Outage",
  created_at: "2026-11-23",
};

it("admin invoice list lists everybody's documents, or an account's", async () => {
  const accounts = {
    listAllInvoices: (request: { accountId?: bigint | undefined }) => ({
      invoices: request.accountId === 8n ? [] : [shown],
    }),
  };
  const line = ["admin", "invoice", "list"];
  const { stdout } = await runAgainst({ accounts }, [...line, "--json"]);
  expect(JSON.parse(stdout)).toEqual([document]);
  const other = await runAgainst({ accounts }, [...line, "--account", "8", "--json"]);
  expect(JSON.parse(other.stdout)).toEqual([]);
  expect((await runAgainst({ accounts }, line)).stdout).toContain("2026-7-C000001");
});

it("admin invoice show prints a document and its lines", async () => {
  const line = { description: "A year", quantity: 1, unitCents: 1_000n, amountCents: 1_000n };
  const accounts = { showInvoice: () => ({ invoice: shown, lines: [line] }) };
  const asked = ["admin", "invoice", "show", "2026-7-C000001"];
  expect(JSON.parse((await runAgainst({ accounts }, [...asked, "--json"])).stdout)).toEqual({
    ...document,
    buyer: null,
    lines: [{ description: "A year", quantity: 1, unit: "10.00", amount: "10.00" }],
  });
  expect((await runAgainst({ accounts }, asked)).stdout).toMatch(/2026-7-C000001[^]*A year/u);
});

it("admin invoice fetch writes the file to standard output, or to the named file", async () => {
  const content = Buffer.from([0x25, 0x50, 0xff, 0x00]);
  const asked: unknown[] = [];
  const documents = {
    fetchInvoice: ({ invoice, format }: { invoice: string; format: string }) => {
      asked.push([invoice, format]);
      return { fileName: "2026-7-000042.pdf", mediaType: "application/pdf", content };
    },
  };
  const line = ["admin", "invoice", "fetch", "42", "--format", "pdf"];
  const { exitCode, stdout, stderr } = await runAgainst({ documents }, line);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: content.toString("utf8"), stderr: "" });
  expect(asked).toEqual([["42", "pdf"]]);
  const json = await runAgainst({ documents }, [...line, "--json"]);
  expect(JSON.parse(json.stdout)).toEqual({
    name: "2026-7-000042.pdf",
    media_type: "application/pdf",
    bytes: 4,
    content: content.toString("base64"),
  });

  const directory = directoryOfTest();
  const file = join(directory, "a.pdf");
  const answer = await runAgainst({ documents }, [...line, "--out", file]);
  expect(answer.stdout).toBe(`2026-7-000042.pdf is in ${file}.\n`);
  expect(readFileSync(file)).toEqual(content);
  const unwritable = await runAgainst({ documents }, [...line, "--out", join(directory, "no", "a.pdf")]);
  expect(unwritable).toMatchObject({ exitCode: 1, stdout: "" });
  expect(unwritable.stderr).toContain("could not be written");
});

it.each([
  [["show"]],
  [["show", " "]],
  [["list", "--account", "x"]],
  [["list", "--limit", "0"]],
  [["fetch", "42"]],
  [["fetch", "42", "--format", "html"]],
  [["fetch", "--format", "pdf"]],
])("is wrong usage: admin invoice %j", async (line) => {
  expect(await runCommand(["admin", "invoice", ...line])).toMatchObject({ exitCode: 2, stdout: "" });
});
