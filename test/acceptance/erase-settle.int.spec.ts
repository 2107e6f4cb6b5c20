import { readFileSync } from "node:fs";

import { accountReference } from "@hostledger/core";
import { createStaffClient } from "@hostledger/rpc";
import { realTiming } from "@hostledger/runtime";
import { afterAll, beforeAll, expect, it } from "vitest";

import { bankFiles } from "../support/bank-files.ts";
import { commandInProcess, textInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { objectOf } from "../support/matchers.ts";
import { postingsIn } from "../support/tax-year/tax-year.books.ts";

/** `hostledger admin account erase --settle` pays the balance out to the customer's bank account, and erases after that. */

const iban = "NL91ABNA0417164300";
const otherIban = "DE75512108001245126199";
let instance: Instance;
const files = bankFiles(() => instance);
beforeAll(async () => {
  instance = await startInstance({ environment: { HOSTLEDGER_BANK_IBAN: "DE89370400440532013000" } });
});
afterAll(async () => {
  await instance.close();
  files.remove();
});

const command = (...line: readonly string[]) => commandInProcess(instance, realTiming, ...line);
const settle = (id: string, ...flags: readonly string[]) =>
  command("admin", "account", "erase", id, "--settle", ...flags);

const shown = async (id: string) => {
  const { balanceCents, erasedAt } = await instance.staff.accounts.showAccount({ accountId: BigInt(id) });
  return { balanceCents, isErased: erasedAt !== undefined };
};

/** Opens an account to which money came from these bank accounts. */
async function accountPaidFrom(...payers: readonly string[]): Promise<string> {
  const { accountId } = await instance.staff.accounts.openAccount({ name: "Ada Löwe & Co" });
  const id = String(accountId);
  const creditorReference = accountReference(Number(accountId));
  const payments = payers.map((payer, index) => {
    return { amount: "20.00", ref: `in-${id}-${String(index)}`, creditorReference, name: "Ada", iban: payer };
  });
  if (payments.length > 0) await files.import({ kind: "054", id: `in-${id}`, payments });
  await expect.poll(() => shown(id)).toMatchObject({ balanceCents: BigInt(payers.length) * 2_000n });
  return id;
}

const payoutsOf = async (id: string) =>
  (await instance.staff.bank.listPayouts({})).payouts.filter((one) => String(one.accountId) === id);

/** Writes the file for the bank, and has the bank book the payouts of the account. */
async function paidByBank(id: string) {
  const path = files.path();
  expect(await command("bank", "payouts", "--output", path)).toMatchObject({ code: 0 });
  const payouts = await payoutsOf(id);
  const payments = payouts.map(({ reference: endToEndId }) => {
    return { amount: "-20.00", ref: `out-${endToEndId}`, endToEndId, iban };
  });
  expect(await files.import({ kind: "054", id: `out-${id}`, payments })).toMatchObject({ code: 0 });
  return { xml: readFileSync(path, "utf8"), endToEndId: payouts[0]?.reference ?? "" };
}

/** Asserts that the books agree, and returns what an account of the journal has, in cents. */
async function agreeingBooks() {
  const reconciled = await textInProcess(instance, realTiming, "audit", "reconcile");
  expect(reconciled, reconciled.stdout).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await textInProcess(instance, realTiming, "audit", "journal", "--format", "csv");
  const postings = postingsIn(stdout).map((posting) => posting.split(" ").slice(-2));
  const centsOf = (account: string): number =>
    postings
      .filter(([name]) => name === account)
      .reduce((sum, [, amount]) => sum + Math.round(100 * Number(amount)), 0);
  // A payout is no expense.
  expect([centsOf("Expenses:Adjustments"), centsOf("Equity:Unexplained")]).toEqual([0, 0]);
  return centsOf;
}

it("pays the balance out, erases, and leaves the payout to the bank with its IBAN and name", async () => {
  const id = await accountPaidFrom(iban);
  const done = await settle(id, "--iban", "NL91 ABNA 0417 1643 00");
  expect(done).toMatchObject({
    code: 0,
    document: { account_id: Number(id), key_destroyed: true, paid_out: "20.00", payout: expect.any(String) },
  });
  expect(await shown(id)).toEqual({ balanceCents: 0n, isErased: true });
  const [payout] = await payoutsOf(id);
  expect(payout).toMatchObject({ status: "waiting", amountCents: 2_000n, iban });
  expect(objectOf(done.document).payout).toBe(payout?.reference);
  // Nothing is paid or erased twice.
  expect(await settle(id)).toMatchObject({ code: 0, document: { key_destroyed: false, payout: null } });

  const { xml } = await paidByBank(id);
  for (const part of [`<IBAN>${iban}</IBAN>`, "<Nm>Ada Lowe . Co</Nm>", ">20.00</InstdAmt>"])
    expect(xml).toContain(part);
  expect(await payoutsOf(id)).toMatchObject([{ status: "paid" }]);
  const centsOf = await agreeingBooks();
  expect([centsOf(`Liabilities:Customers:${id}`), centsOf("Liabilities:Suspense")]).toEqual([0, 0]);
});

it("pays to the one bank account that money came from if no IBAN is named", async () => {
  const id = await accountPaidFrom(iban, iban);
  expect(await settle(id)).toMatchObject({ code: 0, document: { paid_out: "40.00" } });
  expect(await payoutsOf(id)).toMatchObject([{ amountCents: 4_000n, iban }]);
});

it("pays and erases nothing without an IBAN if money came from no bank account, or from several", async () => {
  for (const payers of [[iban, otherIban], []]) {
    const id = await accountPaidFrom(...payers);
    if (payers.length === 0) {
      const topUp = { accountId: BigInt(id), amountCents: 500n, reference: `cash-${id}` };
      await instance.staff.accounts.topUpAccount(topUp);
    }
    const refused = await settle(id);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--iban") });
    expect(await shown(id)).toMatchObject({ isErased: false });
    expect(await payoutsOf(id)).toEqual([]);
  }
});

it.each(["NL91ABNA0417164301", "nonsense"])("pays and erases nothing to the IBAN %s", async (wrong) => {
  const id = await accountPaidFrom(iban);
  expect((await settle(id, "--iban", wrong)).code).not.toBe(0);
  expect(await shown(id)).toEqual({ balanceCents: 2_000n, isErased: false });
  expect(await payoutsOf(id)).toEqual([]);
});

it("refuses --iban without --settle", async () => {
  const id = await accountPaidFrom();
  const refused = await command("admin", "account", "erase", id, "--yes", "--iban", iban);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--settle") });
  expect(await shown(id)).toMatchObject({ isErased: false });
});

it("needs a second person for another bank account, pays when that person approves, and then erases", async () => {
  const id = await accountPaidFrom(iban);
  const asked = await settle(id, "--iban", otherIban);
  expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining("admin approvals approve") });
  // Asking again asks nobody else.
  await settle(id, "--iban", otherIban);
  const { approvals } = await instance.staff.accounts.listApprovals({});
  const own = approvals.filter((one) => String(one.accountId) === id);
  expect(own).toMatchObject([{ kind: "payout", amountCents: 2_000n, iban: otherIban }]);
  expect(await shown(id)).toEqual({ balanceCents: 2_000n, isErased: false });

  const { token } = await instance.staff.members.addStaffMember({ name: "finn", role: "finance" });
  const finn = createStaffClient({ baseUrl: instance.adminUrl, credential: token });
  await finn.accounts.approveCredit({ approvalId: own[0]?.approvalId ?? 0n });
  expect(await shown(id)).toEqual({ balanceCents: 0n, isErased: false });
  expect(await settle(id, "--iban", otherIban)).toMatchObject({ code: 0, document: { key_destroyed: true } });
  expect(await shown(id)).toEqual({ balanceCents: 0n, isErased: true });
  expect(await payoutsOf(id)).toMatchObject([{ amountCents: 2_000n, iban: otherIban }]);
});

it("needs no IBAN for an account without a balance, and refuses one with a debt", async () => {
  const id = await accountPaidFrom();
  expect(await settle(id)).toMatchObject({ code: 0, document: { payout: null, paid_out: null } });
  expect(await shown(id)).toMatchObject({ isErased: true });
  const debtor = await accountPaidFrom();
  const debit = { amountCents: -500n, reference: `debt-${debtor}`, reason: "Chargeback", allowDebt: true };
  await instance.staff.accounts.adjustBalance({ accountId: BigInt(debtor), ...debit });
  const refused = await settle(debtor, "--iban", iban);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("a debt of 5.00 EUR") });
  expect(await shown(debtor)).toEqual({ balanceCents: -500n, isErased: false });
  const paid = { amountCents: 500n, reference: `debt-${debtor}`, reason: "Waived" };
  await instance.staff.accounts.adjustBalance({ accountId: BigInt(debtor), ...paid });
});

it("pays the same amount again that came after an earlier payout, and is not erased with it", async () => {
  const id = await accountPaidFrom(iban);
  const first = await instance.staff.accounts.payOut({
    accountId: BigInt(id),
    amountCents: 2_000n,
    iban,
    reason: "Erasure of the account",
  });
  const creditorReference = accountReference(Number(id));
  await files.import({
    id: `again-${id}`,
    payments: [{ amount: "20.00", ref: `again-${id}`, creditorReference }],
  });
  await expect.poll(() => shown(id)).toMatchObject({ balanceCents: 2_000n });
  expect(await settle(id)).toMatchObject({ code: 0, document: { paid_out: "20.00" } });
  expect(await payoutsOf(id)).toHaveLength(2);
  expect((await payoutsOf(id))[0]?.reference).toBe(first.reference);
});

it("leaves a payout that the bank returns on the suspense account, and opens a staff ticket", async () => {
  const id = await accountPaidFrom(iban);
  expect(await settle(id)).toMatchObject({ code: 0 });
  const { endToEndId } = await paidByBank(id);
  const suspenseBefore = (await agreeingBooks())("Liabilities:Suspense");
  const back = { amount: "20.00", ref: `back-${id}`, endToEndId, returnCode: "AC04" };
  expect(await files.import({ kind: "054", id: `back-${id}`, payments: [back] })).toMatchObject({ code: 0 });
  const entry = async () => {
    const { entries } = await instance.staff.bank.listBankEntries({ page: { afterId: 0n, limit: 1_000 } });
    return entries.find(({ bankReference }) => bankReference === `back-${id}`);
  };
  await expect.poll(entry).toMatchObject({ status: "parked", because: "account-erased" });
  expect(await payoutsOf(id)).toMatchObject([{ status: "returned" }]);
  expect(await shown(id)).toEqual({ balanceCents: 0n, isErased: true });
  const tickets = async () =>
    (await instance.staff.support.listAllTickets({})).tickets.map(({ ticket }) => ticket?.title);
  await expect.poll(tickets).toContain(`The payout ${endToEndId} of an erased account came back`);
  const centsOf = await agreeingBooks();
  expect(centsOf("Liabilities:Suspense") - suspenseBefore).toBe(-2_000);
  expect(centsOf(`Liabilities:Customers:${id}`)).toBe(0);

  const entryId = String((await entry())?.id);
  const sent = await command("bank", "return", entryId, "--reason", "Sent to the heirs");
  expect(sent).toMatchObject({ code: 0 });
  expect(await entry()).toMatchObject({ status: "returned" });
});
