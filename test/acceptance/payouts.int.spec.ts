import { readFileSync } from "node:fs";

import { accountReference } from "@hostledger/core";
import { realTiming } from "@hostledger/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { bankFiles } from "../support/bank-files.ts";
import { commandInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";

/** Money goes out to the customer's bank account: staff order it, and the bank gets a file. */

const customersIban = "NL91ABNA0417164300";

let instance: Instance;
const files = bankFiles(() => instance);

beforeAll(async () => {
  const environment = {
    HOSTLEDGER_BANK_IBAN: "DE89370400440532013000",
    HOSTLEDGER_BANK_BIC: "COBADEFFXXX",
  };
  instance = await startInstance({ environment });
});
afterAll(async () => {
  await instance.close();
  files.remove();
});

const command = (...line: readonly string[]) => commandInProcess(instance, realTiming, ...line);

function textIn(document: unknown, name: string): string {
  return z.looseObject({ [name]: z.string() }).parse(document)[name] ?? "";
}

/** Returns an account that 50.00 EUR came to from the customer's bank account. */
async function fundedAccount(): Promise<string> {
  const { accountId } = await instance.staff.accounts.openAccount({ name: "Ada Löwe & Co" });
  const creditorReference = accountReference(Number(accountId));
  const came = { amount: "50.00", ref: `in-${String(accountId)}`, creditorReference, iban: customersIban };
  const imported = await files.import({ id: `S-${String(accountId)}`, payments: [{ ...came, name: "Ada" }] });
  expect(imported).toMatchObject({ code: 0 });
  await expect
    .poll(async () => (await instance.staff.accounts.showAccount({ accountId })).balanceCents)
    .toBe(5_000n);
  return String(accountId);
}
const payout = (id: string, amount: string, iban = customersIban, reason = "Contract ended") =>
  command("admin", "account", "payout", id, "--amount", amount, "--iban", iban, "--reason", reason);

describe("a payout", () => {
  it("debits the balance once, and lies in one file, which can be written again", async () => {
    const id = await fundedAccount();
    const first = await payout(id, "20.00");
    expect(first).toMatchObject({ code: 0, document: { balance: "30.00", repeated: false } });
    expect(await payout(id, "20.00")).toMatchObject({
      code: 0,
      document: { balance: "30.00", repeated: true },
    });
    const reference = textIn(first.document, "reference");
    const [path, other, copy] = [files.path(), files.path(), files.path()];
    const made = await command("bank", "payouts", "--output", path);
    expect(made).toMatchObject({ code: 0, document: { payouts: 1, amount: "20.00" } });
    const xml = readFileSync(path, "utf8");
    for (const part of [
      "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09",
      `<EndToEndId>${reference}</EndToEndId>`,
      '<InstdAmt Ccy="EUR">20.00</InstdAmt>',
      `<IBAN>${customersIban}</IBAN>`,
      "<Nm>Ada Lowe . Co</Nm>",
      "<BICFI>COBADEFFXXX</BICFI>",
    ])
      expect(xml).toContain(part);
    expect(await command("bank", "payouts", "--output", other)).toMatchObject({
      document: { message_id: null },
    });
    const messageId = textIn(made.document, "message_id");
    await command("bank", "payouts", "--again", messageId, "--output", copy);
    expect(readFileSync(copy, "utf8")).toBe(xml);
  });

  it("is refused beyond the balance, and for wrong amounts and IBANs", async () => {
    const id = await fundedAccount();
    for (const [amount, iban] of [
      ["50.01", customersIban],
      ["0", customersIban],
      ["-1", customersIban],
      ["1.001", customersIban],
      ["1.00", "NL91ABNA0417164301"],
    ] as const)
      expect((await payout(id, amount, iban)).code).not.toBe(0);
    expect((await payout("999999", "1.00")).code).not.toBe(0);
    expect((await instance.staff.accounts.showAccount({ accountId: BigInt(id) })).balanceCents).toBe(5_000n);
  });

  it("to another bank account than the money came from needs a second person", async () => {
    const id = await fundedAccount();
    const asked = await payout(id, "1.00", "DE75512108001245126199");
    expect(asked.code).not.toBe(0);
    const { approvals } = await instance.staff.accounts.listApprovals({});
    expect(approvals.at(-1)).toMatchObject({
      kind: "payout",
      amountCents: 100n,
      iban: "DE75512108001245126199",
    });
  });
});
