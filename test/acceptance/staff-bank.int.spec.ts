import { accountReference } from "@hostledger/core";
import { camtFile, ownIban, type GivenFile } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bankFiles } from "../support/bank-files.ts";
import { commandInProcess, hostledgerInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";

/** Money comes in by bank transfer: staff import the bank's files. */

let instance: Instance;
const files = bankFiles(() => instance);
const { import: imported, write: fileOf } = files;

beforeAll(async () => {
  instance = await startInstance({ environment: { HOSTLEDGER_BANK_IBAN: "DE89 3704 0044 0532 0130 00" } });
});
afterAll(async () => {
  await instance.close();
  files.remove();
});

const bank = (...line: readonly string[]) => commandInProcess(instance, realTiming, "bank", ...line);

async function openAccount(): Promise<number> {
  const { accountId } = await instance.staff.accounts.openAccount({ name: "Ada" });
  return Number(accountId);
}
async function balanceOf(accountId: number): Promise<bigint> {
  return (await instance.staff.accounts.showAccount({ accountId: BigInt(accountId) })).balanceCents;
}
async function lastParked(): Promise<string> {
  const { document } = await bank("list", "--status", "parked");
  const entry: unknown = Array.isArray(document) ? document.at(-1) : undefined;
  return String(entry instanceof Object && "id" in entry ? entry.id : undefined);
}

describe("a payment by bank transfer", () => {
  it("is credited once to the account of its reference, whichever file repeats it", async () => {
    const accountId = await openAccount();
    const { document: details } = await bank("details", String(accountId), "--amount", "11.90");
    expect(details).toMatchObject({
      iban: ownIban,
      reference: accountReference(accountId),
      epc_qr: expect.stringContaining(`\n${ownIban}\nEUR11.90\n\n${accountReference(accountId)}`),
    });
    const given: GivenFile = {
      id: "S-once",
      payments: [
        { amount: "11.90", ref: "once-1", creditorReference: accountReference(accountId), name: "Ada" },
        { amount: "5.00", ref: "once-2", text: `Invoice ${accountReference(accountId)}, thank you` },
        { amount: "-2.00", ref: "once-3", text: "Fee" },
      ],
    };
    const file = fileOf(given);
    const first = await bank("import", file);
    expect(first).toMatchObject({
      code: 0,
      document: {
        statements: [
          { statement_id: "S-once", kind: "statement", entries: 3, booked: 3, matched: 2, parked: 0 },
        ],
        repeated: false,
      },
    });
    await expect.poll(() => balanceOf(accountId)).toBe(1_690n);
    expect(await bank("import", file)).toMatchObject({ code: 0, document: { repeated: true } });
    const again = await imported({ ...given, id: "N-once", kind: "054" });
    expect(again).toMatchObject({ code: 0, document: { statements: [{ entries: 3, booked: 0 }] } });
    expect(await balanceOf(accountId)).toBe(1_690n);
    const { invoices } = await instance.staff.accounts.listAllInvoices({ accountId: BigInt(accountId) });
    expect(invoices).toHaveLength(2);
    expect((await bank("list", "--status", "outgoing")).document).toMatchObject([{ amount: "-2.00" }]);
  });

  it("without a reference waits until staff match it; the next one of the payer is proposed", async () => {
    const accountId = await openAccount();
    const payer = { name: "Zoe Waiting", iban: "NL91ABNA0417164300", text: "hosting" };
    await imported({ id: "S-wait", payments: [{ amount: "20.00", ref: "wait-1", ...payer }] });
    const entry = await lastParked();
    const waiting = (await bank("list", "--status", "parked")).document;
    expect(waiting).toMatchObject([
      {
        amount: "20.00",
        because: "no-reference",
        counterparty_name: "Zoe Waiting",
        proposed_account_ids: [],
      },
    ]);
    const done = await bank("match", entry, String(accountId));
    expect(done).toMatchObject({
      code: 0,
      document: { account_id: accountId, balance: "20.00", repeated: false },
    });
    expect(await bank("match", entry, String(accountId))).toMatchObject({
      code: 0,
      document: { repeated: true },
    });
    const other = await openAccount();
    const refused = await bank("match", entry, String(other));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("bank reassign") });
    expect(await balanceOf(accountId)).toBe(2_000n);

    await imported({ id: "S-wait-2", payments: [{ amount: "20.00", ref: "wait-2", ...payer }] });
    expect((await bank("list", "--status", "parked")).document).toMatchObject([
      { proposed_account_ids: [accountId] },
    ]);
    const back = await bank("return", await lastParked(), "--reason", "Paid twice");
    expect(back).toMatchObject({ code: 0, document: { entry: { status: "returned" }, repeated: false } });
    expect((await bank("list", "--status", "parked")).document).toEqual([]);
    expect(await balanceOf(accountId)).toBe(2_000n);
  });

  it("on the wrong account is moved to the right one, and may leave a debt", async () => {
    const [wrong, right] = [await openAccount(), await openAccount()];
    await imported({
      id: "S-wrong",
      payments: [{ amount: "30.00", ref: "wrong-1", creditorReference: accountReference(wrong) }],
    });
    await expect.poll(() => balanceOf(wrong)).toBe(3_000n);
    await instance.staff.accounts.adjustBalance({
      accountId: BigInt(wrong),
      amountCents: -1_000n,
      reference: "spent",
      reason: "Spent",
      allowDebt: false,
    });
    const list = (await bank("list", "--status", "matched")).document;
    const entry: unknown = Array.isArray(list) ? list.at(-1) : undefined;
    const id = String(entry instanceof Object && "id" in entry ? entry.id : undefined);
    const reassigned = await bank("reassign", id, String(right), "--reason", "Named another customer");
    expect(reassigned).toMatchObject({ code: 0, document: { account_id: right, balance: "30.00" } });
    expect([await balanceOf(wrong), await balanceOf(right)]).toEqual([-1_000n, 3_000n]);
    expect(await bank("reassign", id, String(right), "--reason", "Again")).toMatchObject({
      document: { repeated: true },
    });
    // And back: each move has a reference of its own.
    await bank("reassign", id, String(wrong), "--reason", "No, it was right");
    expect([await balanceOf(wrong), await balanceOf(right)]).toEqual([2_000n, 0n]);
  });

  it("is not topped up by hand under the reference of an entry", async () => {
    const accountId = BigInt(await openAccount());
    const reference = `bank ${ownIban}/1`;
    await expect(
      instance.staff.accounts.topUpAccount({ accountId, amountCents: 1n, reference }),
    ).rejects.toThrow("use hostledger bank match");
  });
});

describe("a payout of the payment provider", () => {
  it("moves money from the provider to the bank, once, and credits no account", async () => {
    const withProvider = await startInstance({
      environment: { HOSTLEDGER_BANK_IBAN: ownIban, HOSTLEDGER_PAYMENTS: "sandbox" },
    });
    const bankOf = (...line: readonly string[]) =>
      commandInProcess(withProvider, realTiming, "bank", ...line);
    await bankOf(
      "import",
      fileOf({
        payments: [
          { amount: "98.50", ref: "payout-1", text: "Payout" },
          { amount: "-3.00", ref: "payout-2", text: "Chargeback" },
        ],
      }),
    );
    for (const entry of ["1", "2"]) {
      const match = ["match", entry, "--provider", "sandbox"];
      expect(await bankOf(...match)).toMatchObject({
        code: 0,
        document: { entry: { status: "provider" }, repeated: false },
      });
      expect(await bankOf(...match)).toMatchObject({ code: 0, document: { repeated: true } });
    }
    expect((await bankOf("list", "--status", "provider")).document).toMatchObject([{ id: 1 }, { id: 2 }]);
    for (const [line, words] of [
      [["match", "1", "--provider", "stripe"], "must be sandbox"],
      [["match", "1", "7", "--provider", "sandbox"], "Name either an account or a --provider"],
      [["match", "1"], "Name either an account or a --provider"],
      [["match", "9", "--provider", "sandbox"], "no such entry"],
      [["return", "1", "--reason", "Payout"], "matched to sandbox"],
    ] as const)
      expect((await bankOf(...line)).stderr).toContain(words);
    await withProvider.close();
  });

  it("cannot be matched without a payment provider", async () => {
    const without = await startInstance({
      environment: { HOSTLEDGER_BANK_IBAN: ownIban, HOSTLEDGER_PAYMENTS: "none" },
    });
    const refused = await commandInProcess(
      without,
      realTiming,
      "bank",
      "match",
      "1",
      "--provider",
      "sandbox",
    );
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("set HOSTLEDGER_PAYMENTS") });
    await without.close();
  });
});

describe("a file is refused whole", () => {
  const good = { amount: "1.00", ref: "whole-1" };
  it.each([
    ["wrong sums", camtFile({ payments: [good], closing: "2.00" }), "does not add up"],
    [
      "another account",
      camtFile({ iban: "DE02120300000000202051", payments: [good] }),
      "not of DE89370400440532013000",
    ],
    [
      "another currency",
      camtFile({ currency: "USD", payments: [{ ...good, currency: "USD" }] }),
      "only EUR is imported",
    ],
    ["another encoding", camtFile({ payments: [good] }).replace("UTF-8", "ISO-8859-1"), "export it in UTF-8"],
    ["an XML bomb", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "DOCTYPE"],
    ["no XML", "Date;Amount", "not well-formed XML"],
    ["XML that is cut off", camtFile({ payments: [good] }).slice(0, -40), "not well-formed XML"],
    ["another namespace", camtFile({ payments: [good] }).replace("camt.053", "pain.001"), "neither CAMT.053"],
    ["a negative amount", camtFile({ payments: [good] }).replace(">1.00<", ">-1.00<"), "no amount"],
    ["three decimals", camtFile({ payments: [good, { amount: "1.005" }] }), "at most two decimals"],
    ["an amount above the limit", camtFile({ payments: [good, { amount: "1000000000.01" }] }), "is above"],
  ])("with %s", async (_what, content, message) => {
    const before = (await bank("list")).document;
    const refused = await imported(content);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was imported.") });
    expect(refused.stderr).toContain(message);
    expect((await bank("list")).document).toEqual(before);
  });

  it("above the limits, and files of more than the ordinary request are taken", async () => {
    const padded = camtFile({ id: "S-large" }).replace(
      "</Stmt>",
      `<AddtlStmtInf>${"x".repeat(2_000_000)}</AddtlStmtInf></Stmt>`,
    );
    expect(await imported(padded)).toMatchObject({ code: 0 });
    expect(await imported(Buffer.alloc(16_777_217))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("16 MiB"),
    });
    const many =
      "<Ntry><Amt>1</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-28</Dt></BookgDt></Ntry>";
    const million = camtFile().replace("</Stmt>", `${many.repeat(100_000)}</Stmt>`);
    expect(await imported(million)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("more than 10000 payments: export a shorter period"),
    });
  });
});

it("only finance imports, and an instance without an IBAN names the missing setting", async () => {
  const { token } = await instance.staff.members.addStaffMember({ name: "sue", role: "support" });
  const asSupport = await hostledgerInProcess(
    { HOSTLEDGER_ADMIN_TOKEN: token },
    "bank",
    "import",
    fileOf({}),
    "--admin-url",
    instance.adminUrl,
  );
  expect(asSupport.code).toBe(1);
  expect(asSupport.stderr).toContain("support");
  const without = await startInstance();
  const refused = await commandInProcess(without, realTiming, "bank", "list");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("set HOSTLEDGER_BANK_IBAN") });
  await without.close();
});

it("a match above the limit waits for a second person", async () => {
  const environment = { HOSTLEDGER_BANK_IBAN: ownIban, HOSTLEDGER_APPROVAL_CENTS: "10000" };
  const careful = await startInstance({ environment });
  const { accountId } = await careful.staff.accounts.openAccount({ name: "Ada" });
  const tokens = new Map<string, string>();
  for (const name of ["ann", "bob"])
    tokens.set(name, (await careful.staff.members.addStaffMember({ name, role: "finance" })).token);
  const as = (name: string, ...line: readonly string[]) =>
    hostledgerInProcess(
      { HOSTLEDGER_ADMIN_TOKEN: tokens.get(name) ?? "" },
      ...line,
      "--admin-url",
      careful.adminUrl,
      "--json",
    );
  await as("ann", "bank", "import", fileOf({ payments: [{ amount: "500.00", ref: "1", text: "Ada" }] }));
  const match = ["bank", "match", "1", String(accountId)];
  const refused = await as("ann", ...match);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("admin approvals approve 1") });
  expect(await as("ann", "admin", "approvals", "approve", "1")).toMatchObject({ code: 1 });
  expect(await as("bob", "admin", "approvals", "approve", "1")).toMatchObject({ code: 0 });
  const { balanceCents } = await careful.staff.accounts.showAccount({ accountId });
  expect(balanceCents).toBe(50_000n);
  expect(await as("ann", "bank", "list")).toMatchObject({ stdout: expect.stringContaining('"matched"') });
  await careful.close();
});
