import {
  accountReference,
  creditorReference,
  isCreditorReference,
  topUpTransferReference,
} from "@hostledger/core";
import { camtFile, ownIban, type GivenPayment } from "@hostledger/providers/testing";
import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

/** Top-ups by bank transfer: the bank's statements settle them. No payment provider takes part. */

const dayMs = 86_400_000;
let clock: ManualClock;
let service: AccountServiceFixture;
let isTimeTrusted: boolean;
let refusesWrites: boolean;

beforeEach(async () => {
  isTimeTrusted = true;
  refusesWrites = false;
  clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  service = await openAccountService({
    clock,
    bankIban: ownIban,
    bankBic: "COBADEFFXXX",
    isTimeTrusted: () => isTimeTrusted,
    refusesWrites: () => refusesWrites,
  });
});
afterEach(() => service.close());

async function customer() {
  const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
  const caller = { kind: "account", accountId: Number(accountId), keyId: 1 } as const;
  const payments = service.payments(caller);
  return {
    accountId,
    payments,
    async topUp(amountCents = 5_000n) {
      const asked = { amountCents, method: "transfer", returnUrl: "" };
      const { topup } = await payments.requestTopUp(asked);
      if (topup?.bank === undefined) throw new Error("the top-up has no bank details");
      return { ...topup, bank: topup.bank };
    },
    read: async (topupId: bigint) => (await payments.getTopUp({ topupId })).topup,
    balance: async () => (await service.accounts(caller).getAccount({ accountId })).balanceCents,
  };
}

/** Does all work that is due. */
async function work(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await service.projector.after(await service.store.lastPosition());
    await service.work.runDue();
  }
  await service.projector.after(await service.store.lastPosition());
}

let files = 0;
async function receive(...payments: readonly GivenPayment[]): Promise<Uint8Array> {
  files += 1;
  const numbered = payments.map((payment, index) => ({
    ref: `${String(files)}-${String(index)}`,
    ...payment,
  }));
  const file = new TextEncoder().encode(camtFile({ id: `S-${String(files)}`, payments: numbered }));
  await service.bank().importStatements({ file });
  await work();
  return file;
}

async function entries() {
  const { entries: listed } = await service.bank().listBankEntries({ page: { afterId: 0n, limit: 100 } });
  return listed;
}

describe("a top-up by bank transfer", () => {
  it("has a reference of its own and a QR code, and is settled by the bank's statement", async () => {
    const { accountId, topUp, read, balance } = await customer();
    const [one, two] = [await topUp(), await topUp(1_190n)];
    expect(one).toMatchObject({
      method: "transfer",
      state: "pending",
      bank: { iban: ownIban, bic: "COBADEFFXXX", name: expect.any(String) },
    });
    expect(one.bank.reference).toBe(topUpTransferReference(Number(accountId), Number(one.topupId)));
    expect(one.bank.reference).not.toBe(two.bank.reference);
    expect(isCreditorReference(one.bank.reference)).toBe(true);
    expect(two.bank.epcQr).toContain(
      `\nCOBADEFFXXX\n${two.bank.name}\n${ownIban}\nEUR11.90\n\n${two.bank.reference}`,
    );
    const file = await receive({ amount: "11.90", creditorReference: two.bank.reference });
    expect(await read(two.topupId)).toMatchObject({
      state: "settled",
      paidCents: 1_190n,
      reference: `bank ${ownIban}/1`,
    });
    expect((await read(two.topupId))?.bank).toBeUndefined();
    expect(await read(one.topupId)).toMatchObject({ state: "pending" });
    await service.bank().importStatements({ file });
    await work();
    expect(await balance()).toBe(1_190n);
  });

  it("shows the sum of partial and double payments, also above the requested amount", async () => {
    const { topUp, read, balance } = await customer();
    const { topupId, bank } = await topUp();
    const reference = bank.reference;
    await receive({ amount: "30.00", text: `Top-up ${reference.replaceAll(/(.{4})/g, "$1 ")}` });
    expect(await read(topupId)).toMatchObject({ state: "settled", paidCents: 3_000n });
    await receive({ amount: "20.00", creditorReference: reference }, { amount: "50.00", text: reference });
    expect(await read(topupId)).toMatchObject({ state: "settled", paidCents: 10_000n });
    expect(await balance()).toBe(10_000n);
  });

  it("that staff move to another customer shows that, and is settled again when it is moved back", async () => {
    const [ada, ben] = [await customer(), await customer()];
    const { topupId, bank } = await ada.topUp();
    await receive({ amount: "50.00", creditorReference: bank.reference });
    const move = async (accountId: bigint) => {
      await service.bank().reassignBankEntry({ entryId: 1n, accountId, reason: "It is Ben's" });
      await work();
    };
    await move(ben.accountId);
    expect(await ada.read(topupId)).toMatchObject({
      state: "returned",
      failure: "The bank transfer was another customer's.",
    });
    expect([await ada.balance(), await ben.balance()]).toEqual([0n, 5_000n]);
    await move(ada.accountId);
    expect(await ada.read(topupId)).toMatchObject({ state: "settled", paidCents: 5_000n });
    expect([await ada.balance(), await ben.balance()]).toEqual([5_000n, 0n]);
    // Another part stays with the top-up when staff move the first one away.
    await receive({ amount: "1.00", creditorReference: bank.reference });
    await move(ben.accountId);
    expect(await ada.read(topupId)).toMatchObject({ state: "settled", paidCents: 100n });
  });

  it("that is not paid expires after 30 days, and late money is credited", async () => {
    const { topUp, read, balance } = await customer();
    const { topupId, bank } = await topUp();
    clock.advance(29 * dayMs);
    await work();
    expect(await read(topupId)).toMatchObject({ state: "pending" });
    clock.advance(dayMs);
    await work();
    expect(await read(topupId)).toMatchObject({
      state: "failed",
      failure: "No money came within 30 days.",
    });
    await receive({ amount: "50.00", creditorReference: bank.reference });
    expect(await read(topupId)).toMatchObject({ state: "settled", paidCents: 5_000n });
    expect(await balance()).toBe(5_000n);
  });

  it("does not expire while the store is an older backup", async () => {
    const ada = await customer();
    const topup = await ada.topUp();
    clock.advance(31 * dayMs);
    refusesWrites = true;
    await work();
    expect(await ada.read(topup.topupId)).toMatchObject({ state: "pending" });
    refusesWrites = false;
    clock.advance(60_000);
    await work();
    expect(await ada.read(topup.topupId)).toMatchObject({ state: "failed" });
  });

  it("does not expire while the time is not trusted", async () => {
    const { topUp, read } = await customer();
    const { topupId } = await topUp();
    isTimeTrusted = false;
    clock.advance(40 * dayMs);
    await work();
    expect(await read(topupId)).toMatchObject({ state: "pending" });
  });
});

describe("a payment waits for staff", () => {
  it.each([
    ["names a top-up that does not exist", (account: number) => topUpTransferReference(account, 999)],
    ["names an account that does not exist", () => accountReference(999)],
    ["names the top-up of another account", (account: number) => topUpTransferReference(account + 1, 1)],
    ["has a valid checksum, and was never issued", () => creditorReference("X1")],
  ])("if its reference %s", async (_what, referenceOf) => {
    const [{ accountId, topUp, balance }] = [await customer(), await customer()];
    await topUp();
    await receive({ amount: "5.00", creditorReference: referenceOf(Number(accountId)) });
    expect(await entries()).toMatchObject([{ status: "parked" }]);
    expect(await balance()).toBe(0n);
  });

  it("if it names top-ups of two accounts", async () => {
    const [ada, ben] = [await customer(), await customer()];
    const [one, two] = [await ada.topUp(), await ben.topUp()];
    await receive({ amount: "5.00", text: `${one.bank.reference} ${two.bank.reference}` });
    expect(await entries()).toMatchObject([{ status: "parked", because: "several-references" }]);
  });
});

it("a payment that names two top-ups of one account settles both, the older one first, and is credited once", async () => {
  const { topUp, read, balance } = await customer();
  const [one, two] = [await topUp(), await topUp()];
  const text = `${two.bank.reference} ${one.bank.reference}`;
  await receive({ amount: "60.00", text });
  expect(await balance()).toBe(6_000n);
  expect(await read(one.topupId)).toMatchObject({ state: "settled", paidCents: 5_000n });
  expect(await read(two.topupId)).toMatchObject({ state: "settled", paidCents: 1_000n });
  // The rest goes to the one that waits, and what is too much stays there.
  await receive({ amount: "40.00", text }, { amount: "1.00", text });
  expect(await balance()).toBe(10_100n);
  expect(await read(one.topupId)).toMatchObject({ state: "settled", paidCents: 5_000n });
  expect(await read(two.topupId)).toMatchObject({ state: "settled", paidCents: 5_100n });
});

it("a payment that reaches for the first of two top-ups leaves the second one waiting, also when it is moved", async () => {
  const [{ topUp, read, balance, accountId }, other] = [await customer(), await customer()];
  const [one, two] = [await topUp(), await topUp()];
  await receive({ amount: "50.00", text: `${one.bank.reference} ${two.bank.reference}` });
  expect(await read(one.topupId)).toMatchObject({ state: "settled", paidCents: 5_000n });
  expect(await read(two.topupId)).toMatchObject({ state: "pending" });
  const [entry] = await entries();
  const move = (to: bigint) =>
    service.bank().reassignBankEntry({ entryId: entry?.id ?? 0n, accountId: to, reason: "Wrong" });
  await move(other.accountId);
  await work();
  expect([await balance(), await other.balance()]).toEqual([0n, 5_000n]);
  expect(await read(one.topupId)).toMatchObject({ state: "returned" });
  await move(accountId);
  await work();
  expect(await read(one.topupId)).toMatchObject({ state: "settled", paidCents: 5_000n });
});

it("the payment request is a PDF for its customer, while the transfer is awaited", async () => {
  const { payments, topUp } = await customer();
  const { topupId, bank } = await topUp();
  const { file } = await payments.getPaymentRequest({ topupId });
  expect(file).toMatchObject({
    name: `payment-request-${String(topupId)}.pdf`,
    mediaType: "application/pdf",
  });
  expect(Buffer.from(file?.content ?? []).toString("latin1")).toMatch(/^%PDF-/);
  const other = await customer();
  await expect(other.payments.getPaymentRequest({ topupId })).rejects.toMatchObject({
    rawMessage: expect.any(String),
  });
  await receive({ amount: "50.00", creditorReference: bank.reference });
  await expect(payments.getPaymentRequest({ topupId })).rejects.toThrow("while its money is awaited");
});
