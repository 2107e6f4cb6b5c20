import { Code, ConnectError } from "@connectrpc/connect";
import { accountReference } from "@hostledger/core";
import { camtFile, ownIban } from "@hostledger/providers/testing";
import { createStaffClient, type StaffClient } from "@hostledger/rpc";
import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";

/** A member of staff splits a large credit into small ones, so that nobody else has to approve it (docs/adr/0054). */

const clock = virtualClock();
let instance: Instance;
let finance: StaffClient["accounts"];
let bank: StaffClient["bank"];
let owner: StaffClient["accounts"];

beforeAll(async () => {
  const environment = { HOSTLEDGER_APPROVAL_CENTS: "100000", HOSTLEDGER_BANK_IBAN: ownIban };
  instance = await startInstance({ clock, environment });
  const clientOf = async (name: string, role: string): Promise<StaffClient> => {
    const { token } = await instance.staff.members.addStaffMember({ name, role });
    return createStaffClient({ baseUrl: instance.adminUrl, credential: token });
  };
  ({ accounts: finance, bank } = await clientOf("finn", "finance"));
  ({ accounts: owner } = await clientOf("olga", "owner"));
});
afterAll(() => instance.close());

async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return ConnectError.from(error).code;
  }
}

it("sums one person's postings to one account within a day", async () => {
  const { accountId } = await owner.openAccount({ name: "Katherine" });
  const topUp = (amountCents: bigint, part: string) =>
    finance.topUpAccount({ accountId, amountCents, reference: `R-part-${part}` });
  const atOnce = await Promise.all(["a", "b", "c"].map((part) => codeOf(topUp(40_000n, part))));
  expect(atOnce.toSorted()).toEqual([Code.FailedPrecondition, undefined, undefined]);
  expect((await owner.showAccount({ accountId })).balanceCents).toBe(80_000n);
  expect(await codeOf(topUp(20_001n, "d"))).toBe(Code.FailedPrecondition);
  const debit = { accountId, amountCents: -20_001n, reference: "case-part", reason: "Paid twice" };
  expect(await codeOf(finance.adjustBalance(debit))).toBe(Code.FailedPrecondition);
});

it("counts another person, another account and another day for themselves, and a repeat once", async () => {
  const { accountId } = await owner.openAccount({ name: "Mary" });
  const { accountId: other } = await owner.openAccount({ name: "Dorothy" });
  const topUp = (amountCents: bigint, part: string) =>
    finance.topUpAccount({ accountId, amountCents, reference: `R-mary-${part}` });
  await topUp(80_000n, "a");
  await owner.topUpAccount({ accountId, amountCents: 40_000n, reference: "R-olga" });
  await finance.topUpAccount({ accountId: other, amountCents: 40_000n, reference: "R-dorothy" });
  for (const _again of [1, 2])
    await expect(topUp(20_000n, "b")).resolves.toMatchObject({ balanceCents: 140_000n });
  clock.advance(86_400_001);
  await expect(topUp(100_000n, "c")).resolves.toMatchObject({ balanceCents: 240_000n });
});

it("does not count postings that another person approved", async () => {
  const { accountId } = await owner.openAccount({ name: "Joan" });
  const large = { accountId, amountCents: 100_001n, reference: "R-large" };
  expect(await codeOf(finance.topUpAccount(large))).toBe(Code.FailedPrecondition);
  const { approvals } = await owner.listApprovals({});
  await owner.approveCredit({ approvalId: approvals.at(-1)?.approvalId ?? 0n });
  await expect(
    finance.topUpAccount({ accountId, amountCents: 100_000n, reference: "R-small" }),
  ).resolves.toMatchObject({ balanceCents: 200_001n });
});

it("counts a payout that differs from an approved one only in its bank account", async () => {
  const { accountId } = await owner.openAccount({ name: "Annie" });
  const [own, other] = ["NL91ABNA0417164300", "DE75512108001245126199"];
  const came = {
    amount: "2000.00",
    ref: "in",
    creditorReference: accountReference(Number(accountId)),
    iban: own,
  };
  const file = new TextEncoder().encode(camtFile({ id: "in", payments: [came] }));
  await bank.importStatements({ file });
  await eventually(clock, async () => {
    expect((await owner.showAccount({ accountId })).balanceCents).toBe(200_000n);
  });
  const payout = { accountId, amountCents: 60_000n, reason: "Contract ended" };
  expect(await codeOf(finance.payOut({ ...payout, iban: other }))).toBe(Code.FailedPrecondition);
  const { approvals } = await owner.listApprovals({});
  await owner.approveCredit({ approvalId: approvals.at(-1)?.approvalId ?? 0n });
  await expect(finance.payOut({ ...payout, iban: own })).resolves.toMatchObject({ balanceCents: 80_000n });
  const more = { accountId, amountCents: 40_001n, reference: "R-annie" };
  expect(await codeOf(finance.topUpAccount(more))).toBe(Code.FailedPrecondition);
  await expect(finance.topUpAccount({ ...more, amountCents: 40_000n })).resolves.toMatchObject({
    balanceCents: 120_000n,
  });
});
