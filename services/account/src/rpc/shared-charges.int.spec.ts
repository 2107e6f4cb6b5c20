import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

type Process = Pick<AccountServiceFixture, "accounts" | "staff">;

const domain = { kind: "service", name: "domain" } as const;

let service: AccountServiceFixture;
let processes: readonly [Process, Process];
let accountId: bigint;
beforeAll(async () => {
  service = await openAccountService({}, true);
  processes = [service, await service.beside()];
});
afterAll(() => service.close());
beforeEach(async () => {
  ({ accountId } = await service.staff().openAccount({ name: "Ada" }));
  await service
    .staff()
    .topUpAccount({ accountId, amountCents: 100_000n, reference: `opening ${String(accountId)}` });
});

/** Runs a call in both processes at once, each with the account already cached. */
async function both<Answer>(ask: (process: Process) => Promise<Answer>): Promise<readonly [Answer, Answer]> {
  const [one, other] = processes;
  // Loads the account's present state into both caches.
  for (const process of processes) await process.accounts(domain).getAccount({ accountId });
  return Promise.all([ask(one), ask(other)]);
}

const purchase = (number: number) => ({
  accountId,
  chargeId: `registration-${String(accountId)}-${String(number)}`,
  action: "purchase",
  lines: [{ description: "Registration", quantity: 1, unitNetCents: 1_000n }],
  duration: 1,
  domainId: 3n,
});

describe("two processes that do the same to an account at the same moment", () => {
  const numbers = Array.from({ length: 10 }, (_, index) => index);

  it("charge once: one sees a new charge, and both see its invoice", async () => {
    for (const number of numbers) {
      const charge = { ...purchase(number), asksWhetherNew: true };
      const charged = await both(({ accounts }) => accounts(domain).chargeBalance(charge));
      expect(charged.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(charged[0].invoiceId).toBe(charged[1].invoiceId);
    }
    const [{ balanceCents }] = await both(({ accounts }) => accounts(domain).getAccount({ accountId }));
    expect(balanceCents).toBe(100_000n - 10n * 1_190n);
  });

  it("return a charge once, and name the same correction", async () => {
    for (const number of numbers) {
      const { chargeId } = purchase(number);
      await service.accounts(domain).chargeBalance(purchase(number));
      const refund = { accountId, chargeId, reason: "The registrar refused" };
      const [one, other] = await both(({ accounts }) => accounts(domain).refundRegistration(refund));
      expect(one).toEqual(other);
    }
    const [{ balanceCents }] = await both(({ accounts }) => accounts(domain).getAccount({ accountId }));
    expect(balanceCents).toBe(100_000n);
  });

  it("return a part of a charge once, and name the same correction", async () => {
    for (const number of numbers) {
      const { invoiceNumber: chargeOrInvoice } = await service
        .accounts(domain)
        .chargeBalance(purchase(number));
      const refund = { chargeOrInvoice, amountCents: 100n, reason: "Goodwill" };
      const [one, other] = await both(({ staff }) => staff().refundCharge(refund));
      expect(one.correctionId).toBe(other.correctionId);
      expect([one.repeated, other.repeated].toSorted()).toEqual([false, true]);
    }
  });

  it("credit a payment once, and name the same receipt", async () => {
    for (const number of numbers) {
      const reference = `bank ${String(accountId)} ${String(number)}`;
      const [one, other] = await both(({ staff }) =>
        staff().topUpAccount({ accountId, amountCents: 100n, reference }),
      );
      expect(one.invoiceId).toBe(other.invoiceId);
    }
  });
});
