import { createHash } from "node:crypto";

import { accountAggregate, referenceAggregate } from "@hostledger/core";
import { createCommandHandler } from "@hostledger/store";
import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openAccountService,
  type AccountAdminClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

let service: AccountServiceFixture;
let staff: AccountAdminClient;
let count = 0;

beforeAll(async () => {
  service = await openAccountService({ approvalCents: 100_000n });
  staff = service.staff();
});
afterAll(() => service.close());

const reason = "Outage of 20 November";
const conflict = { code: "reference-conflict" };

async function twoAccounts(): Promise<readonly [bigint, bigint]> {
  const [first, second] = [
    await staff.openAccount({ name: "Ada" }),
    await staff.openAccount({ name: "Ben" }),
  ];
  return [first.accountId, second.accountId];
}

function freshReference(): string {
  count += 1;
  return `bank-${String(4_710 + count)}`;
}

async function balanceOf(accountId: bigint): Promise<bigint> {
  return (await staff.showAccount({ accountId })).balanceCents;
}

const movements = [
  [
    "a payment",
    (requested: { accountId: bigint; reference: string }) =>
      staff.topUpAccount({ ...requested, amountCents: 500n }),
  ],
  [
    "a credit",
    (requested: { accountId: bigint; reference: string }) =>
      staff.adjustBalance({ ...requested, amountCents: 500n, reason }),
  ],
  [
    "a debit",
    (requested: { accountId: bigint; reference: string }) =>
      staff.adjustBalance({ ...requested, amountCents: -500n, reason, allowDebt: true }),
  ],
] as const;

describe.each(movements)("the reference of %s", (_what, move) => {
  it("belongs to one account on the whole instance, which may repeat it", async () => {
    const [first, second] = await twoAccounts();
    const reference = freshReference();
    const booked = await move({ accountId: first, reference });
    expect(await refusalOf(move({ accountId: second, reference }))).toMatchObject(conflict);
    expect(await balanceOf(second)).toBe(0n);
    expect(booked.repeated).toBe(false);
    expect(await move({ accountId: first, reference })).toEqual({ ...booked, repeated: true });
  });

  it("goes to one of two simultaneous accounts", async () => {
    const [first, second] = await twoAccounts();
    const reference = freshReference();
    const asked = [first, second].map((accountId) => move({ accountId, reference }));
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const balances = [await balanceOf(first), await balanceOf(second)];
    expect(balances.filter((cents) => cents !== 0n)).toHaveLength(1);
  });
});

describe("the reference of a payment that was taken back", () => {
  const amountCents = 500n;

  async function takenBack(): Promise<{
    readonly accounts: readonly [bigint, bigint];
    readonly reference: string;
  }> {
    const accounts = await twoAccounts();
    const reference = freshReference();
    await staff.topUpAccount({ accountId: accounts[0], amountCents, reference });
    const back = { accountId: accounts[0], reference, reason };
    expect(await staff.reverseTopUp(back)).toMatchObject({ balanceCents: 0n, repeated: false });
    return { accounts, reference };
  }

  it("is refused to the same account, because a late retry would credit twice", async () => {
    const { accounts, reference } = await takenBack();
    const again = staff.topUpAccount({ accountId: accounts[0], amountCents, reference });
    expect(await refusalOf(again)).toMatchObject({
      ...conflict,
      message:
        "The payment under this reference was taken back from this account, so the reference is not credited here again.",
    });
    expect(await balanceOf(accounts[0])).toBe(0n);
  });

  it("is free once, for another account", async () => {
    const { accounts, reference } = await takenBack();
    const [first, second] = accounts;
    const payment = { accountId: second, amountCents, reference };
    expect(await staff.topUpAccount(payment)).toMatchObject({ balanceCents: 500n, repeated: false });
    expect(await staff.topUpAccount(payment)).toMatchObject({ balanceCents: 500n, repeated: true });
    const [third] = await twoAccounts();
    expect(await refusalOf(staff.topUpAccount({ ...payment, accountId: third }))).toMatchObject(conflict);
    expect(await refusalOf(staff.topUpAccount({ ...payment, accountId: first }))).toMatchObject(conflict);
    await staff.reverseTopUp({ accountId: second, reference, reason });
    for (const accountId of [first, second, third])
      expect(await refusalOf(staff.topUpAccount({ ...payment, accountId }))).toMatchObject(conflict);
    for (const accountId of [first, second, third]) expect(await balanceOf(accountId)).toBe(0n);
  });

  it("goes to one of two other simultaneous accounts", async () => {
    const { reference } = await takenBack();
    const others = await twoAccounts();
    const asked = others.map((accountId) => staff.topUpAccount({ accountId, amountCents, reference }));
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("reports on a repeat that nothing was done", async () => {
    const { accounts, reference } = await takenBack();
    const back = { accountId: accounts[0], reference, reason };
    expect(await staff.reverseTopUp(back)).toEqual(expect.objectContaining({ repeated: true }));
  });
});

it("of each kind are separate", async () => {
  const [first, second] = await twoAccounts();
  const reference = freshReference();
  await staff.topUpAccount({ accountId: first, amountCents: 500n, reference });
  await staff.adjustBalance({ accountId: second, amountCents: 500n, reference, reason });
  expect([await balanceOf(first), await balanceOf(second)]).toEqual([500n, 500n]);
});

it("of refused requests stay unused", async () => {
  const [first, second] = await twoAccounts();
  const debit = { amountCents: -500n, reference: freshReference(), reason };
  expect(await refusalOf(staff.adjustBalance({ ...debit, accountId: first }))).toMatchObject({
    code: "insufficient-balance",
  });
  const requested = { ...debit, accountId: second, allowDebt: true };
  expect(await staff.adjustBalance(requested)).toMatchObject({ balanceCents: -500n });
});

it("that belong to another account are refused before an approval", async () => {
  const [first, second] = await twoAccounts();
  const reference = freshReference();
  await staff.topUpAccount({ accountId: first, amountCents: 500n, reference });
  const large = { accountId: second, amountCents: 200_000n, reference };
  expect(await refusalOf(staff.topUpAccount(large))).toMatchObject(conflict);
  expect((await staff.listApprovals({})).approvals).toEqual([]);
});

it("that were booked before need no approval", async () => {
  const [accountId] = await twoAccounts();
  const reference = freshReference();
  const large = { accountId, amountCents: 200_000n, reference };
  await refusalOf(staff.topUpAccount(large));
  const [approval] = (await staff.listApprovals({})).approvals;
  const ben = service.staff({ kind: "staff", name: "ben" });
  expect(await ben.approveCredit({ approvalId: approval?.approvalId ?? 0n })).toMatchObject({
    repeated: false,
  });
  expect(await staff.topUpAccount(large)).toMatchObject({ repeated: true });
  expect((await staff.listApprovals({})).approvals).toEqual([]);
});

describe("a process that died", () => {
  const commands = () => createCommandHandler({ store: service.store, recordedBy: "spec" });
  const context = { commandId: "c-1", correlationId: "c-1", actor: "staff:ada" };
  const at = "2026-03-01T10:00:00.000000Z";

  it("after it took a reference leaves the reference to the same account", async () => {
    const [first, second] = await twoAccounts();
    const reference = freshReference();
    const asked = { kind: "top-up", reference } as const;
    const data = { ...asked, accountId: Number(first), at };
    // The stream's id contains a hash of the reference.
    const id = `top-up-${createHash("sha256").update(reference).digest("hex")}`;
    await commands().execute(referenceAggregate, id, { type: "TakeReference", data }, context);
    const payment = { amountCents: 500n, reference };
    expect(await refusalOf(staff.topUpAccount({ accountId: second, ...payment }))).toMatchObject(conflict);
    expect(await staff.topUpAccount({ accountId: first, ...payment })).toMatchObject({ balanceCents: 500n });
  });

  it("before references were instance-wide has left the payments' own references", async () => {
    const [first, second] = await twoAccounts();
    const reference = freshReference();
    const data = { reference, amountCents: 500n, invoiceId: 900_000 + count, at };
    const command = { type: "CreditBalance", data } as const;
    const { position = 0n } = await commands()
      .execute(accountAggregate, String(first), command, context)
      .then((executed) => (executed.accepted ? executed : { position: 0n }));
    await service.projector.after(position, { limitMs: 10_000 });
    const payment = { amountCents: 500n, reference };
    expect(await refusalOf(staff.topUpAccount({ accountId: second, ...payment }))).toMatchObject(conflict);
    expect(await staff.topUpAccount({ accountId: first, ...payment })).toMatchObject({ balanceCents: 500n });
    // After a reversal another account may take the payment's reference once.
    await staff.reverseTopUp({ accountId: first, reference, reason });
    const booked = { accountId: second, ...payment };
    expect(await staff.topUpAccount(booked)).toMatchObject({ balanceCents: 500n, repeated: false });
    await staff.reverseTopUp({ accountId: second, reference, reason });
    const [third] = await twoAccounts();
    expect(await refusalOf(staff.topUpAccount({ accountId: third, ...payment }))).toMatchObject(conflict);
  });
});
