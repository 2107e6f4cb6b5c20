import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyPayouts, payoutFile } from "./pain.fixture.ts";
import { creditTransferFile } from "./pain.ts";

/** The schema that ISO 20022 publishes for pain.001.001.09 takes our files, and refuses others. `tools/fetch-pain-schema` gets it. */

const schema = process.env.TEST_PAIN_SCHEMA ?? "";

/** Validates files. @returns what xmllint says of each that the schema refuses */
function refusalsOf(files: readonly string[]): readonly string[] {
  const directory = directoryOfTest();
  const paths = files.map((file, index) => {
    const path = join(directory, `${String(index)}.xml`);
    writeFileSync(path, file);
    return path;
  });
  try {
    execFileSync("xmllint", ["--nonet", "--noout", "--schema", schema, ...paths], { stdio: "pipe" });
    return [];
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    return said.split("\n").filter((line) => line !== "" && !line.endsWith(" validates"));
  }
}

const { file, payouts } = payoutFile([
  { name: "Ada Löwe & Co", amountCents: 2_000n },
  { name: "Ben", amountCents: 1n },
]);
const xml = creditTransferFile(file, payouts);

describe("the schema of pain.001.001.09", () => {
  it("accepts a file, with and without the BIC of the operator's bank", () => {
    expect(refusalsOf([xml, creditTransferFile({ ...file, fromBic: "" }, payouts)])).toEqual([]);
  });

  it("accepts a file of a thousand payouts, with the largest amounts", () => {
    const many = payoutFile(
      Array.from({ length: 1_000 }, (_, index) => ({
        name: `Customer ${String(index)}`,
        amountCents: 100_000_000_000n,
      })),
    );
    expect(refusalsOf([creditTransferFile(many.file, many.payouts)])).toEqual([]);
  });

  it("accepts any names of customers and operators", () => {
    const files = fc.sample(anyPayouts, 300).map((given) => creditTransferFile(given.file, given.payouts));
    expect(refusalsOf(files)).toEqual([]);
  });

  it.each([
    [
      "an element in another place",
      (text: string) => text.replace(/<MsgId>.*?<\/MsgId>\s*(<CreDtTm>.*?<\/CreDtTm>)/su, "$1"),
    ],
    ["a BIC that is none", (text: string) => text.replace("COBADEFFXXX", "cobadeffxxx")],
    ["an IBAN that is none", (text: string) => text.replace("NL91", "nl91")],
    ["an end-to-end id of 36 characters", (text: string) => text.replace("k3x7m2-P1<", `${"A".repeat(36)}<`)],
    ["a name of 141 characters", (text: string) => text.replace("Ada Lowe", "A".repeat(141))],
    ["an empty name", (text: string) => text.replace("<Nm>Ben</Nm>", "<Nm></Nm>")],
    ["an amount with six decimals", (text: string) => text.replace(">20.00<", ">20.000001<")],
    ["the direct debit method", (text: string) => text.replace(">TRF<", ">DD<")],
  ])("refuses %s", (_what, change) => {
    const changed = change(xml);
    expect(changed).not.toBe(xml);
    expect(refusalsOf([changed])).not.toEqual([]);
  });
});
