import { camtFile, ownIban } from "@hostledger/providers/testing";
import { manualClock, realTiming, type ManualClock } from "@hostledger/runtime";
import { afterEach, beforeEach, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

/** The work on bank entries while accounts refuse money, and while the store is an older backup. */

let clock: ManualClock;
let service: AccountServiceFixture;
/** Steps that may be taken until the store counts as an older backup. */
let stepsLeft: number;

beforeEach(async () => {
  clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  stepsLeft = Number.POSITIVE_INFINITY;
  service = await openAccountService({
    clock,
    bankIban: ownIban,
    isTimeTrusted: () => true,
    refusesWrites: () => (stepsLeft -= 1) < 0,
  });
});
afterEach(() => service.close());

async function open() {
  const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
  const caller = { kind: "account", accountId: Number(accountId), keyId: 1 } as const;
  return {
    accountId,
    payments: service.payments(caller),
    topUp: (amountCents: bigint, reference: string) =>
      service.staff().topUpAccount({ accountId, amountCents, reference }),
    balance: async () => (await service.accounts(caller).getAccount({ accountId })).balanceCents,
  };
}

async function receive(amount: string, creditorReference: string): Promise<void> {
  const payments = [{ ref: "1", amount, creditorReference }];
  await service
    .bank()
    .importStatements({ file: new TextEncoder().encode(camtFile({ id: "S-1", payments })) });
}

/** Does what is due. */
async function work(): Promise<void> {
  await service.projector.after(await service.store.lastPosition());
  await service.work.runDue();
}

it("a credit or a debit that the account refuses uses no document id, however often it is tried", async () => {
  const [full, other] = [await open(), await open()];
  const { reference } = await service.bank().showTransferDetails({ accountId: full.accountId });
  await full.topUp(99_999_999_000n, "cash-1");
  const { invoiceId: before } = await other.topUp(100n, "cash-2");
  await receive("50.00", reference);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await work();
    clock.advance(3_600_000);
  }
  expect(await full.balance()).toBe(99_999_999_000n);
  const { invoiceId: after } = await other.topUp(100n, "cash-3");
  expect(after).toBe(before + 1n);
});

it.each([
  ["recording what came for a top-up", 1, "pending"],
  ["crediting", 0, "pending"],
  ["nothing", Number.POSITIVE_INFINITY, "settled"],
] as const)("while the store is an older backup, %s waits", async (_what, steps, state) => {
  const { payments, balance } = await open();
  const asked = { amountCents: 5_000n, method: "transfer", returnUrl: "" };
  const { topup } = await payments.requestTopUp(asked);
  await receive("50.00", topup?.bank?.reference ?? "");
  stepsLeft = steps;
  await work();
  expect(await balance()).toBe(steps === 0 ? 0n : 5_000n);
  const read = async () => {
    await service.projector.after(await service.store.lastPosition());
    return (await payments.getTopUp({ topupId: topup?.topupId ?? 0n })).topup?.state;
  };
  expect(await read()).toBe(state);
  stepsLeft = Number.POSITIVE_INFINITY;
  clock.advance(60_000);
  await work();
  expect(await read()).toBe("settled");
  expect(await balance()).toBe(5_000n);
});

it("a top-up whose transfer was another customer's is not reversed while the store is an older backup", async () => {
  const [ada, ben] = [await open(), await open()];
  const { topup } = await ada.payments.requestTopUp({
    amountCents: 5_000n,
    method: "transfer",
    returnUrl: "",
  });
  await receive("50.00", topup?.bank?.reference ?? "");
  for (let round = 0; round < 3; round += 1) await work();
  // Moves the money, and stops before the top-up is given back.
  stepsLeft = 2;
  await service.bank().reassignBankEntry({ entryId: 1n, accountId: ben.accountId, reason: "It is Ben's" });
  const read = async () => {
    await service.projector.after(await service.store.lastPosition());
    return (await ada.payments.getTopUp({ topupId: topup?.topupId ?? 0n })).topup?.state;
  };
  expect([await ada.balance(), await ben.balance(), await read()]).toEqual([0n, 5_000n, "settled"]);
  stepsLeft = Number.POSITIVE_INFINITY;
  clock.advance(60_000);
  await work();
  expect(await read()).toBe("returned");
});
