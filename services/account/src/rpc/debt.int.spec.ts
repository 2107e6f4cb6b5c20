import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  openAccountService,
  type AccountAdminClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

/** Approval limit per person: 1,000.00 EUR. */
let service: AccountServiceFixture;
let anna: AccountAdminClient;
let ben: AccountAdminClient;

beforeAll(async () => {
  service = await openAccountService({ approvalCents: 100_000n });
  anna = service.staff({ kind: "staff", name: "anna" });
  ben = service.staff({ kind: "staff", name: "ben" });
});
afterAll(() => service.close());

const reason = "Returned by the bank";

async function accountWith(amountCents: bigint): Promise<bigint> {
  const { accountId } = await anna.openAccount({ name: "Ada" });
  await anna.topUpAccount({ accountId, amountCents, reference: of(accountId, "bank-1") });
  return accountId;
}

const of = (accountId: bigint, reference: string) => `${reference} of ${String(accountId)}`;

async function balanceOf(accountId: bigint): Promise<bigint> {
  return (await anna.showAccount({ accountId })).balanceCents;
}

it("is allowed of a debit and of a payment taken back, once, and of no credit", async () => {
  const accountId = await accountWith(5_000n);
  const debit = { accountId, amountCents: -6_000n, reference: of(accountId, "case-1"), reason };
  expect(await refusalOf(anna.adjustBalance(debit))).toMatchObject({ code: "insufficient-balance" });
  for (const _again of [1, 2])
    expect(await anna.adjustBalance({ ...debit, allowDebt: true })).toMatchObject({ balanceCents: -1_000n });
  const reversal = { accountId, reference: of(accountId, "bank-1"), reason };
  expect(await refusalOf(anna.reverseTopUp(reversal))).toMatchObject({ code: "insufficient-balance" });
  expect(await anna.reverseTopUp({ ...reversal, allowDebt: true })).toMatchObject({ balanceCents: -6_000n });
  const credit = { accountId, amountCents: 1n, reference: of(accountId, "case-2"), reason, allowDebt: true };
  const refusal = await refusalOf(anna.adjustBalance(credit));
  expect(refusal).toMatchObject({ code: "validation-failed" });
  expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual(["allow_debt"]);
  expect(await balanceOf(accountId)).toBe(-6_000n);
});

it("shrinks by every payment, and an amount never exceeds the balance's range", async () => {
  const accountId = await accountWith(1_000n);
  await anna.adjustBalance({
    accountId,
    amountCents: -1_500n,
    reference: of(accountId, "case-1"),
    reason,
    allowDebt: true,
  });
  const part = { accountId, amountCents: 200n, reference: of(accountId, "case-2"), reason };
  expect(await anna.adjustBalance(part)).toMatchObject({ balanceCents: -300n });
  const payment = { accountId, amountCents: 100n, reference: of(accountId, "bank-2") };
  expect(await anna.topUpAccount(payment)).toMatchObject({ balanceCents: -200n });
  const most = {
    accountId,
    amountCents: -100_000_000_000n,
    reference: of(accountId, "case-3"),
    reason,
    allowDebt: true,
  };
  expect(await refusalOf(anna.adjustBalance(most))).toMatchObject({ code: "approval-required" });
  const waiting = (await ben.listApprovals({})).approvals.at(-1);
  const approvalId = waiting?.approvalId ?? 0n;
  expect(await refusalOf(ben.approveCredit({ approvalId }))).toMatchObject({ code: "validation-failed" });
  expect(await balanceOf(accountId)).toBe(-200n);
});

it("needs an approval of its own: an approval without debt allows none", async () => {
  const accountId = await accountWith(1_000n);
  const debit = { accountId, amountCents: -100_001n, reference: of(accountId, "case-1"), reason };
  const approveLast = async (debtAllowed: boolean) => {
    const waiting = (await ben.listApprovals({})).approvals.at(-1);
    expect(waiting).toMatchObject({ accountId, reference: of(accountId, "case-1"), debtAllowed });
    return ben.approveCredit({ approvalId: waiting?.approvalId ?? 0n });
  };
  expect(await refusalOf(anna.adjustBalance(debit))).toMatchObject({ code: "approval-required" });
  expect(await refusalOf(approveLast(false))).toMatchObject({ code: "insufficient-balance" });
  const inDebt = { ...debit, allowDebt: true };
  expect(await refusalOf(anna.adjustBalance(inDebt))).toMatchObject({ code: "approval-required" });
  expect(await balanceOf(accountId)).toBe(1_000n);
  expect(await approveLast(true)).toMatchObject({ balanceCents: -99_001n });
  expect(await anna.adjustBalance(inDebt)).toMatchObject({ balanceCents: -99_001n });
});
