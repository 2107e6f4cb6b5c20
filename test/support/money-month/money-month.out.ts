import type { GivenPayment } from "@hostledger/providers/testing";
import { eventually } from "@hostledger/runtime/testing";

import { itemsOf, objectOf } from "../matchers.ts";
import { euros, payouts, refunds } from "./money-month.table.ts";
import type { Played } from "./played-month.ts";

/** Money that goes back to the customers of the month: refunds to the source, and payouts to bank accounts. */

/** The bank account from which customers transfer money. */
export const customersIban = "NL91ABNA0417164300";
const anotherIban = "DE75512108001245126199";

/** Orders all refunds and payouts of the table, up to the last second of March. */
export async function sendMoneyOut(month: Played): Promise<void> {
  await refund(month, 11, refunds.comesBack);
  await refund(month, 12, refunds.whole);
  await refund(month, 13, refunds.partial);
  await refund(month, 14, refunds.refused);
  const paid = await payout(month, 22, payouts.paid);
  const approved = await approvedPayout(month, 23, payouts.approved);
  const returned = await payout(month, 24, payouts.returned);
  await writePayoutFile(month);
  await month.waitUntil("2026-03-25T09:00:00Z");
  await month.importStatement("2026-03-25", [paid, approved, returned]);
  await month.waitUntil("2026-03-30T09:00:00Z");
  const back = { ...returned, amount: euros(payouts.returned), ref: "payout-24-back", returnCode: "AC04" };
  await month.importStatement("2026-03-30", [back]);
  await payout(month, 25, payouts.inApril);
  await writePayoutFile(month);
  await payout(month, 21, payouts.waiting);
  await month.waitUntil("2026-03-31T23:59:51Z");
  await refund(month, 15, refunds.inApril);
}

/** The provider makes the last refund of March, and the bank pays the last payout that it has. */
export async function payInApril(month: Played): Promise<void> {
  await month.waitUntil("2026-04-02T09:00:00Z");
  const settled = async (): Promise<void> => {
    const state = await refund(month, 15, refunds.inApril);
    if (state !== "settled") throw new Error(`the refund of April is ${String(state)}`);
  };
  await eventually(month.clock, settled, { everyMs: 600_000, limitMs: 86_400_000 });
  const endToEndId = await referenceOf(month, 25);
  await month.importStatement("2026-04-02", [
    { amount: `-${euros(payouts.inApril)}`, ref: "payout-25", endToEndId, iban: customersIban },
  ]);
}

/** Orders a refund; a repeat does nothing. @returns its state */
async function refund({ asStaff, topUps }: Played, number: number, cents: number): Promise<unknown> {
  const line = `admin account refund ${String(number)} --payment ${String(topUps.get(number))}`;
  return (await asStaff(`${line} --amount ${euros(cents)} --reason Goodwill`)).state;
}

const payoutLine = (number: number, cents: number, iban: string): readonly string[] =>
  `admin account payout ${String(number)} --amount ${euros(cents)} --iban ${iban} --reason Leaves`.split(" ");

/** Orders a payout. @returns the payment that the bank will book */
async function payout(month: Played, number: number, cents: number): Promise<GivenPayment> {
  const { reference } = await month.asStaff(payoutLine(number, cents, customersIban).join(" "));
  return {
    amount: `-${euros(cents)}`,
    ref: `payout-${String(number)}`,
    endToEndId: String(reference),
    iban: customersIban,
  };
}

/** The same to another bank account than the money came from, which a second person approves. */
async function approvedPayout(month: Played, number: number, cents: number): Promise<GivenPayment> {
  const asked = await month.command(undefined, ...payoutLine(number, cents, anotherIban));
  if (asked.code === 0) throw new Error("the payout to another bank account needs no second person");
  const { token } = await month.asStaff("admin staff add second --role finance");
  const { list } = await month.asStaff("admin approvals list");
  const [waiting] = itemsOf(list);
  const line = ["admin", "approvals", "approve", String(waiting?.approval_id)];
  const { code, stderr } = await month.command(String(token), ...line);
  if (code !== 0) throw new Error(`the second person cannot approve: ${stderr}`);
  const reference = await referenceOf(month, number);
  return {
    amount: `-${euros(cents)}`,
    ref: `payout-${String(number)}`,
    endToEndId: reference,
    iban: anotherIban,
  };
}

async function referenceOf({ asStaff }: Played, number: number): Promise<string> {
  const { list } = await asStaff("bank payouts");
  const reference = itemsOf(list).find(({ account_id: account }) => account === number)?.reference;
  if (typeof reference !== "string") throw new Error(`customer ${String(number)} has no payout`);
  return reference;
}

async function writePayoutFile(month: Played): Promise<void> {
  const made = await month.asStaff(`bank payouts --output ${month.fileName()}`);
  if (objectOf(made).message_id === null) throw new Error("no payout waits for the bank");
}
