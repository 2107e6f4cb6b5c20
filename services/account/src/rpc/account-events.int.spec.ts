import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openAccountService,
  type AccountAdminClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

let service: AccountServiceFixture;
let staff: AccountAdminClient;

beforeAll(async () => {
  service = await openAccountService();
  staff = service.staff();
});
afterAll(() => service.close());

async function openAccount(): Promise<bigint> {
  return (await staff.openAccount({ name: "Ada" })).accountId;
}

describe("listAccountFacts", () => {
  it("returns the last events as sentences, the latest first, with their number", async () => {
    const accountId = await openAccount();
    for (const reference of ["bank-1", "bank-2"])
      await staff.topUpAccount({ accountId, amountCents: 1_000n, reference });
    const { facts: events, total } = await staff.listAccountFacts({ accountId, limit: 2 });
    expect(events).toMatchObject([
      { revision: 4n, type: "InvoiceIssued", actor: "staff:ada" },
      {
        revision: 3n,
        type: "BalanceCredited",
        actor: "staff:ada",
        storedAt: service.clock.now(),
        sentence: "A top-up of 10.00 EUR was booked as bank-2; the balance is 20.00 EUR.",
      },
    ]);
    expect(total).toBe(5n);
    const all = await staff.listAccountFacts({ accountId });
    expect(all.facts.at(-1)?.sentence).toBe(`Account ${String(accountId)} was opened for Ada.`);
  });

  it("returns ten by default, at most a hundred, and no hash of a key", async () => {
    const accountId = await openAccount();
    for (let key = 0; key < 11; key += 1) await staff.issueApiKey({ accountId });
    const { facts: events, total } = await staff.listAccountFacts({ accountId });
    expect([events.length, total]).toEqual([10, 12n]);
    expect(events.map(({ sentence }) => sentence).join()).not.toMatch(/[0-9a-f]{32}/u);
    await expect(refusalOf(staff.listAccountFacts({ accountId, limit: 101 }))).resolves.toMatchObject({
      code: "validation-failed",
    });
  });

  it("reports when personal data was erased, and no longer shows names", async () => {
    const accountId = await openAccount();
    expect(await staff.showAccount({ accountId })).not.toHaveProperty("erasedAt");
    const { erasedAt } = await staff.eraseAccount({ accountId });
    expect(await staff.showAccount({ accountId })).toMatchObject({ erasedAt });
    // Other services check this before charging renewals.
    expect(
      await service.accounts({ kind: "service", name: "domain" }).getAccount({ accountId }),
    ).toMatchObject({ erasedAt });
    const { facts: events } = await staff.listAccountFacts({ accountId });
    expect(events.map(({ sentence }) => sentence).join()).not.toContain("Ada");
  });
});
