import { defined } from "@hostledger/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusalOf } from "@hostledger/rpc/testing";

import {
  openAccountService,
  type AccountClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

/** Tests the server service's calls: charges at gross prices, and refunds of charges other than registrations. */

let service: AccountServiceFixture;
let servers: AccountClient;

beforeAll(async () => {
  service = await openAccountService();
  servers = service.accounts({ kind: "service", name: "server" });
});
afterAll(() => service.close());

async function openAccount(balanceCents: bigint, vatExempt = false): Promise<bigint> {
  const staff = service.staff();
  const { accountId } = await staff.openAccount({ name: "Ada", vatExempt });
  await staff.topUpAccount({
    accountId,
    amountCents: balanceCents,
    reference: `opening ${String(accountId)}`,
  });
  return accountId;
}

async function documentsOf(accountId: bigint): Promise<readonly object[]> {
  const customer = service.accounts({ kind: "account", accountId: Number(accountId) });
  return (await customer.listInvoices({ accountId })).invoices;
}

/** Renewal of server 9, plan 2, three months, 28.47 EUR gross. */
const renewal = {
  chargeId: "serverrenewal-1",
  action: "renewal",
  lines: [{ description: "Renewal of a server S, 3 months", quantity: 1, unitNetCents: 2_847n }],
  pricesIncludeVat: true,
  duration: 3,
  serverId: 9n,
  planId: 2n,
};
const refund = { chargeId: renewal.chargeId, reason: "There is no such server" };

describe("a charge at gross prices", () => {
  it("charges the given price, and shows the VAT contained", async () => {
    const accountId = await openAccount(2_847n);
    const charged = await servers.chargeBalance({ accountId, ...renewal });
    expect(charged).toMatchObject({ netCents: 2_392n, vatCents: 455n, grossCents: 2_847n });
    await expect(servers.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 0n });
    const [, invoice] = await documentsOf(accountId);
    expect(invoice).toMatchObject({
      id: charged.invoiceId,
      action: "renewal",
      gateway: "balance",
      netCents: 2_392n,
      vatCents: 455n,
      grossCents: 2_847n,
      vatRatePercent: 19,
      duration: 3,
      serverId: 9n,
      planId: 2n,
      delivered: false,
    });
    expect(invoice).not.toHaveProperty("domainId");
  });

  it("costs an exempt account the same, all of it net", async () => {
    const accountId = await openAccount(5_000n, true);
    await expect(servers.chargeBalance({ accountId, ...renewal })).resolves.toMatchObject({
      netCents: 2_847n,
      vatCents: 0n,
      grossCents: 2_847n,
    });
  });

  it("is refused one cent short", async () => {
    const accountId = await openAccount(2_846n);
    await expect(refusalOf(servers.chargeBalance({ accountId, ...renewal }))).resolves.toMatchObject({
      code: "insufficient-balance",
      detail: { requiredCents: 2_847n, availableCents: 2_846n },
    });
  });

  it("is made once, and conflicts with another price", async () => {
    const accountId = await openAccount(10_000n);
    const first = await servers.chargeBalance({ accountId, ...renewal });
    await expect(servers.chargeBalance({ accountId, ...renewal })).resolves.toEqual(first);
    for (const other of [
      { pricesIncludeVat: false },
      { lines: [{ description: "x", quantity: 1, unitNetCents: 2_848n }] },
    ])
      await expect(
        refusalOf(servers.chargeBalance({ accountId, ...renewal, ...other })),
      ).resolves.toMatchObject({ code: "charge-conflict" });
    await expect(servers.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 7_153n });
  });

  it.each([
    ["serverId", { serverId: 0n }],
    ["serverId", { serverId: 2n ** 53n }],
    ["planId", { planId: -1n }],
  ])("is refused with a bad %s", async (field, change) => {
    const accountId = await openAccount(5_000n);
    const refusal = await refusalOf(servers.chargeBalance({ accountId, ...renewal, ...change }));
    expect([refusal.code, Object.keys(refusal.detail?.fieldErrors ?? {})]).toEqual([
      "validation-failed",
      [field],
    ]);
  });
});

describe("refundCharge", () => {
  it("is for services only, also of the caller's own account", async () => {
    for (const caller of [
      { kind: "account", accountId: 1 },
      { kind: "staff", name: "ada" },
    ] as const)
      await expect(
        refusalOf(service.accounts(caller).refundCharge({ accountId: 1n, ...refund })),
      ).resolves.toMatchObject({ code: "unauthorized" });
  });

  it("returns the charge in full and issues a correction for the same server", async () => {
    const accountId = await openAccount(5_000n);
    const { invoiceId } = await servers.chargeBalance({ accountId, ...renewal });
    const refunded = await servers.refundCharge({ accountId, ...refund });
    expect(refunded.grossCents).toBe(2_847n);
    await expect(servers.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 5_000n });
    const documents = await documentsOf(accountId);
    expect(documents[2]).toMatchObject({
      id: refunded.correctionId,
      action: "refund",
      netCents: -2_392n,
      grossCents: -2_847n,
      serverId: 9n,
      planId: 2n,
      correctsInvoiceId: invoiceId,
    });
  });

  it("refunds once, despite repeated and simultaneous requests", async () => {
    const accountId = await openAccount(5_000n);
    await servers.chargeBalance({ accountId, ...renewal });
    const ask = (): Promise<object> => servers.refundCharge({ accountId, ...refund });
    const [first, ...others] = await Promise.all([ask(), ask(), ask()]);
    for (const other of others) expect(other).toEqual(first);
    await expect(ask()).resolves.toEqual(first);
    await expect(servers.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 5_000n });
    expect(await documentsOf(accountId)).toHaveLength(3);
  });

  it("refuses an unknown charge, one of another account, and one of a registration", async () => {
    const [accountId, other] = [await openAccount(10_000n), await openAccount(1n)];
    await servers.chargeBalance({ accountId, ...renewal });
    const { lines } = renewal;
    const registration = { chargeId: "registration-1", action: "purchase", lines, domainId: 3n };
    await servers.chargeBalance({ accountId, ...registration });
    for (const [wrong, code] of [
      [{ accountId, ...refund, chargeId: "serverrenewal-9" }, "charge-not-found"],
      [{ accountId: other, ...refund }, "charge-not-found"],
      [{ accountId: 999_999n, ...refund }, "account-not-open"],
      [{ accountId, ...refund, chargeId: "registration-1" }, "charge-conflict"],
    ] as const)
      await expect(refusalOf(servers.refundCharge(wrong))).resolves.toMatchObject({ code });
    // And vice versa.
    await expect(refusalOf(servers.refundRegistration({ accountId, ...refund }))).resolves.toMatchObject({
      code: "charge-conflict",
    });
    expect(await documentsOf(accountId)).toHaveLength(3);
  });

  it.each([
    ["accountId", { accountId: 0n }],
    ["chargeId", { chargeId: " " }],
    ["reason", { reason: "" }],
    ["reason", { reason: "x".repeat(1_001) }],
  ])("refuses a bad %s: %o", async (field, change) => {
    const refusal = await refusalOf(servers.refundCharge({ accountId: 1n, ...refund, ...change }));
    expect([refusal.code, Object.keys(refusal.detail?.fieldErrors ?? {})]).toEqual([
      "validation-failed",
      [field],
    ]);
  });
});

describe("listInvoices, page by page", () => {
  it("shows every document once, in the order of their ids", async () => {
    const accountId = await openAccount(50_000n);
    for (const number of [1, 2, 3, 4])
      await servers.chargeBalance({ accountId, ...renewal, chargeId: `serverrenewal-${String(number)}` });
    const idsOf = async (page?: { afterId?: bigint; limit?: number }): Promise<readonly bigint[]> => {
      const { invoices } = await servers.listInvoices({ accountId, ...defined({ page }) });
      return invoices.map(({ id }) => id);
    };
    const all = await idsOf();
    expect(all).toHaveLength(5);
    expect(all).toEqual(all.toSorted((left, right) => Number(left - right)));
    await expect(idsOf({ limit: 2 })).resolves.toEqual(all.slice(0, 2));
    await expect(idsOf({ limit: 2, afterId: all[1] ?? 0n })).resolves.toEqual(all.slice(2, 4));
    await expect(idsOf({ limit: 2, afterId: all[3] ?? 0n })).resolves.toEqual(all.slice(4));
    await expect(idsOf({ afterId: all[4] ?? 0n })).resolves.toEqual([]);
    await expect(idsOf({ limit: 1_001 })).resolves.toEqual(all);
  });

  it.each([
    ["limit", { limit: 1_002 }],
    ["afterId", { afterId: -1n }],
  ])("refuses a bad %s", async (field, page) => {
    const accountId = await openAccount(1n);
    const refusal = await refusalOf(servers.listInvoices({ accountId, page }));
    expect([refusal.code, Object.keys(refusal.detail?.fieldErrors ?? {})]).toEqual([
      "validation-failed",
      [field],
    ]);
  });
});
