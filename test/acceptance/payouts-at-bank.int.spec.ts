import { readFileSync } from "node:fs";

import { accountReference } from "@hostledger/core";
import type { GivenPayment } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { afterAll, beforeAll, expect, it } from "vitest";

import { bankFiles } from "../support/bank-files.ts";
import { commandInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { objectOf } from "../support/matchers.ts";

/** The bank's entries decide the outcome of payouts: paid or returned, once, however often files are imported. */

const iban = "NL91ABNA0417164300";
let instance: Instance;
const files = bankFiles(() => instance);
const { import: imported, path: fileName } = files;
beforeAll(async () => {
  instance = await startInstance({ environment: { HOSTLEDGER_BANK_IBAN: "DE89370400440532013000" } });
});
afterAll(async () => {
  await instance.close();
  files.remove();
});

const command = (...line: readonly string[]) => commandInProcess(instance, realTiming, ...line);

const balanceOf = async (accountId: bigint) =>
  (await instance.staff.accounts.showAccount({ accountId })).balanceCents;

/** Returns an account with 50.00 EUR from the customer's bank account, and a payout of 20.00 EUR that is in a file. */
async function payoutInFile() {
  const { accountId } = await instance.staff.accounts.openAccount({ name: "Ada" });
  const id = String(accountId);
  const creditorReference = accountReference(Number(accountId));
  const came = { amount: "50.00", ref: `in-${id}`, creditorReference, iban };
  expect(await imported({ id: `in-${id}`, payments: [came] })).toMatchObject({ code: 0 });
  await expect.poll(() => balanceOf(accountId)).toBe(5_000n);
  const line = ["--amount", "20.00", "--iban", iban, "--reason", "Contract ended"];
  const ordered = await command("admin", "account", "payout", id, ...line);
  expect(ordered).toMatchObject({ code: 0, document: { balance: "30.00" } });
  const endToEndId = String(objectOf(ordered.document).reference);
  const path = fileName();
  const made = await command("bank", "payouts", "--output", path);
  expect(made).toMatchObject({ code: 0, document: { payouts: 1, amount: "20.00" } });
  const messageId = String(objectOf(made.document).message_id);
  const paid: GivenPayment = { amount: "-20.00", ref: `out-${id}`, endToEndId, iban };
  const returned: GivenPayment = { amount: "20.00", ref: `back-${id}`, endToEndId, returnCode: "AC04" };
  const statusOf = async () =>
    (await instance.staff.bank.listPayouts({})).payouts.find(({ reference }) => reference === endToEndId)
      ?.status;
  const entryOf = async (ref: string) => {
    const { entries } = await instance.staff.bank.listBankEntries({ page: { afterId: 0n, limit: 100 } });
    const found = entries.find(({ bankReference }) => bankReference === ref);
    return { id: String(found?.id), status: found?.status };
  };
  return { accountId, id, endToEndId, messageId, path, paid, returned, statusOf, entryOf };
}

it("a payout that the bank booked is paid, once, by a notification and by statements", async () => {
  const { accountId, id, paid, statusOf } = await payoutInFile();
  expect(await statusOf()).toBe("in-file");
  expect(await imported({ kind: "054", id: `N-${id}`, payments: [paid] })).toMatchObject({ code: 0 });
  expect(await statusOf()).toBe("paid");
  const before = instance.lastWritten();
  const statement = { id: `S-${id}`, payments: [paid] };
  expect(await imported(statement)).toMatchObject({ code: 0 });
  const afterStatement = instance.lastWritten();
  expect(afterStatement).not.toBe(before);
  expect(await imported(statement)).toMatchObject({ code: 0 });
  expect(instance.lastWritten()).toBe(afterStatement);
  expect([await statusOf(), await balanceOf(accountId)]).toEqual(["paid", 3_000n]);
});

it("a payout that the bank returned is credited to the customer again, once", async () => {
  const { accountId, id, paid, returned, statusOf, entryOf } = await payoutInFile();
  await imported({ id: `S-${id}`, payments: [paid] });
  const back = { id: `R-${id}`, payments: [returned] };
  expect(await imported(back)).toMatchObject({ code: 0 });
  await expect.poll(() => balanceOf(accountId)).toBe(5_000n);
  expect(await statusOf()).toBe("returned");
  // The same file, a notification of the same entry, and a second entry.
  await imported(back);
  await imported({ ...back, kind: "054", id: `RN-${id}` });
  await imported({ id: `R2-${id}`, payments: [{ ...returned, ref: `back-again-${id}` }] });
  expect(await entryOf(`back-${id}`)).toMatchObject({ status: "payout-returned" });
  expect(await entryOf(`back-again-${id}`)).toMatchObject({ status: "parked" });
  expect([await statusOf(), await balanceOf(accountId)]).toEqual(["returned", 5_000n]);
});

it("a payout whose return comes before its payment, in one file, is credited again once", async () => {
  const { accountId, id, paid, returned, statusOf } = await payoutInFile();
  await imported({ id: `S-${id}`, payments: [returned, paid] });
  await expect.poll(() => balanceOf(accountId)).toBe(5_000n);
  expect(await statusOf()).toBe("returned");
});

it("an entry of another amount, or of an unknown payout, is left to staff", async () => {
  const { accountId, id, paid, returned, statusOf, entryOf } = await payoutInFile();
  const payments = [
    { ...paid, amount: "-20.01", ref: `more-${id}` },
    { ...paid, endToEndId: "unknown-P1", ref: `unknown-${id}` },
    { ...returned, amount: "19.99", ref: `less-${id}` },
  ];
  expect(await imported({ id: `S-${id}`, payments })).toMatchObject({ code: 0 });
  expect([await statusOf(), await balanceOf(accountId)]).toEqual(["in-file", 3_000n]);
  expect(await entryOf(`more-${id}`)).toMatchObject({ status: "outgoing" });
  expect(await entryOf(`less-${id}`)).toMatchObject({ status: "parked" });
});

it("bank match --provider refuses an entry that paid a payout", async () => {
  const { id, paid, statusOf, entryOf } = await payoutInFile();
  await imported({ id: `S-${id}`, payments: [paid, { amount: "-3.00", ref: `fee-${id}` }] });
  const match = (entry: string) => command("bank", "match", entry, "--provider", "sandbox");
  const entry = (await entryOf(`out-${id}`)).id;
  expect(await match(entry)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Entry ${entry} paid a payout to a customer.`),
  });
  expect([await statusOf(), (await entryOf(`out-${id}`)).status]).toEqual(["paid", "outgoing"]);
  expect(await match((await entryOf(`fee-${id}`)).id)).toMatchObject({ code: 0 });
});

it("a lost file is written again with equal content, and never over another file", async () => {
  const { endToEndId, messageId, path, paid, id } = await payoutInFile();
  const xml = readFileSync(path, "utf8");
  expect(xml).toContain(`<MsgId>${messageId}</MsgId>`);
  expect(xml).toContain(`<EndToEndId>${endToEndId}</EndToEndId>`);
  expect((await command("bank", "payouts", "--again", messageId, "--output", path)).code).toBe(1);
  const copy = fileName();
  await imported({ id: `S-${id}`, payments: [paid] });
  expect(await command("bank", "payouts", "--again", messageId, "--output", copy)).toMatchObject({ code: 0 });
  expect(readFileSync(copy, "utf8")).toBe(xml);
  expect((await command("bank", "payouts", "--again", "unknown-F1", "--output", fileName())).code).toBe(1);
  expect((await command("bank", "payouts", "--again", messageId)).code).not.toBe(0);
});

it("a payout that two people order at once is debited once, and is once in the file", async () => {
  const { accountId, id } = await payoutInFile();
  const order = { accountId, amountCents: 500n, iban, reason: "At once" };
  const answers = await Promise.all([1, 2, 3].map(() => instance.staff.accounts.payOut(order)));
  expect(new Set(answers.map(({ reference }) => reference)).size).toBe(1);
  expect(await balanceOf(accountId)).toBe(2_500n);
  const { payouts } = await instance.staff.bank.listPayouts({ status: "waiting" });
  expect(payouts.filter((one) => String(one.accountId) === id)).toHaveLength(1);
  await command("bank", "payouts", "--output", fileName());
});
