import { manualClock, realTiming } from "@hostledger/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

const dayMs = 86_400_000;
const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
const debtReminderDays = [3, 10];

let service: AccountServiceFixture;
let refusesWrites: boolean;

beforeEach(async () => {
  refusesWrites = false;
  service = await openAccountService(
    { clock, debtReminderDays, refusesWrites: () => refusesWrites },
    // A second process writes to the accounts, too.
    true,
  );
});
afterEach(() => service.close());

let references = 0;
const adjust = (accountId: bigint, kind: "credit" | "debit", amountCents: bigint) => {
  references += 1;
  const reference = `case-${String(references)}`;
  return service.staff().adjustBalance({
    accountId,
    amountCents: kind === "debit" ? -amountCents : amountCents,
    reference,
    reason: "spec",
    allowDebt: kind === "debit",
  });
};

/** An account that owes 25.00 EUR. */
async function debtor(): Promise<bigint> {
  const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
  await adjust(accountId, "debit", 2_500n);
  return accountId;
}

/** Does the due work in these processes at once, and returns the days of the reminders. */
async function reminded(
  accountId: bigint,
  ...others: readonly Pick<AccountServiceFixture, "projector" | "work">[]
) {
  await Promise.all(
    [service, ...others].map(async ({ projector, work }) => {
      await projector.after(await service.store.lastPosition());
      await work.runDue();
    }),
  );
  const days: unknown[] = [];
  for await (const { type, data } of service.store.read(`account-${String(accountId)}`))
    if (type.startsWith("DebtReminded.")) days.push((JSON.parse(data) as { afterDays: number }).afterDays);
  return days;
}

describe("an account in debt", () => {
  it("is reminded at each stage once, until a payment ends the debt; the next debt begins again", async () => {
    const accountId = await debtor();
    expect(await reminded(accountId)).toEqual([]);
    clock.advance(3 * dayMs);
    expect(await reminded(accountId)).toEqual([3]);
    expect(await reminded(accountId)).toEqual([3]);
    expect(await service.staff().showAccount({ accountId })).toMatchObject({ debtReminders: 1 });
    await adjust(accountId, "credit", 2_500n);
    clock.advance(20 * dayMs);
    expect(await reminded(accountId)).toEqual([3]);
    const shown = await service.staff().showAccount({ accountId });
    expect(shown).toMatchObject({ debtReminders: 0 });
    expect(shown.debtSince).toBeUndefined();
    await adjust(accountId, "debit", 1n);
    expect((await service.staff().showAccount({ accountId })).debtSince).toBe(clock.now());
    clock.advance(3 * dayMs);
    expect(await reminded(accountId)).toEqual([3, 3]);
    clock.advance(7 * dayMs);
    expect(await reminded(accountId)).toEqual([3, 3, 10]);
  });

  it("is reminded once by two processes at once, and by one that starts later with empty read models", async () => {
    const beside = await service.beside({ clock, debtReminderDays });
    const accountId = await debtor();
    clock.advance(3 * dayMs);
    expect(await reminded(accountId, beside)).toEqual([3]);
    // This process builds its read models from the first event, as after a rebuild.
    const later = await service.beside({ clock, debtReminderDays });
    expect(await reminded(accountId, beside, later)).toEqual([3]);
    clock.advance(30 * dayMs);
    expect(await reminded(accountId, beside, later)).toEqual([3, 10]);
  });

  it("gets no reminder after its personal data was erased", async () => {
    const accountId = await debtor();
    await service.staff().eraseAccount({ accountId, force: true });
    clock.advance(30 * dayMs);
    expect(await reminded(accountId)).toEqual([]);
  });

  it("gets no reminder while the store is an older backup that staff have not accepted", async () => {
    const accountId = await debtor();
    refusesWrites = true;
    clock.advance(3 * dayMs);
    expect(await reminded(accountId)).toEqual([]);
    refusesWrites = false;
    clock.advance(60_000);
    expect(await reminded(accountId)).toEqual([3]);
  });
});
