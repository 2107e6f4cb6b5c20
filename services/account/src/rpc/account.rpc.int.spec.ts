import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusalOf } from "@hostledger/rpc/testing";

import {
  openAccountService,
  type AccountAdminClient,
  type AccountClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

let service: AccountServiceFixture;
let staff: AccountAdminClient;
let domains: AccountClient;

beforeAll(async () => {
  service = await openAccountService();
  staff = service.staff();
  domains = service.accounts({ kind: "service", name: "domain" });
});
afterAll(() => service.close());

async function openAccount(balanceCents = 0n, vatExempt = false): Promise<bigint> {
  const { accountId } = await staff.openAccount({ name: "Ada", vatExempt });
  if (balanceCents > 0n)
    await staff.topUpAccount({
      accountId,
      amountCents: balanceCents,
      reference: `opening ${String(accountId)}`,
    });
  return accountId;
}

function customer(accountId: bigint): AccountClient {
  return service.accounts({ kind: "account", accountId: Number(accountId), keyId: 1 });
}

const line = { description: "Registration of example.com, per year", quantity: 1, unitNetCents: 1_000n };
const purchase = {
  chargeId: "registration-1",
  action: "purchase",
  lines: [line],
  duration: 1,
  domainId: 3n,
};

describe("who may ask what", () => {
  it.each<[string, (client: AccountClient) => Promise<unknown>]>([
    ["resolveApiKey", (client) => client.resolveApiKey({ apiKey: "" })],
    ["chargeBalance", (client) => client.chargeBalance({ accountId: 1n, ...purchase })],
    [
      "refundRegistration",
      (client) => client.refundRegistration({ accountId: 1n, chargeId: "x", reason: "x" }),
    ],
  ])("%s is for services only, also of the caller's own account", async (_, call) => {
    for (const kind of ["account", "staff"] as const) {
      const caller = kind === "account" ? { kind, accountId: 1 } : { kind, name: "ada" };
      await expect(refusalOf(call(service.accounts(caller)))).resolves.toMatchObject({
        code: "unauthorized",
      });
    }
  });

  const reads: readonly [string, (client: AccountClient, accountId: bigint) => Promise<unknown>][] = [
    ["getAccount", (client, accountId) => client.getAccount({ accountId })],
    ["listInvoices", (client, accountId) => client.listInvoices({ accountId })],
  ];

  it.each(reads)("%s shows a customer its own account, and a service any", async (_, read) => {
    const accountId = await openAccount();
    await expect(read(customer(accountId), accountId)).resolves.toBeDefined();
    await expect(read(domains, accountId)).resolves.toBeDefined();
  });

  it.each(reads)("%s cannot read another account", async (_, read) => {
    const accountId = await openAccount();
    const stranger = customer(await openAccount());
    await expect(refusalOf(read(stranger, accountId))).resolves.toMatchObject({ code: "unauthorized" });
    await expect(refusalOf(read(stranger, 999_999n))).resolves.toMatchObject({ code: "unauthorized" });
  });

  it.each(reads)("%s finds no account that does not exist", async (_, read) => {
    for (const accountId of [999_999n, 0n, -1n, 2n ** 62n])
      await expect(refusalOf(read(domains, accountId))).resolves.toMatchObject({ code: "not-found" });
  });

  it("is answered with a token only", async () => {
    const nobody = service.accounts(undefined);
    await expect(refusalOf(nobody.getAccount({ accountId: 1n }))).resolves.toMatchObject({
      code: "unauthenticated",
    });
  });
});

describe("resolveApiKey", () => {
  it("finds the account of a key from its issue to its revocation", async () => {
    const accountId = await openAccount();
    const { apiKey, keyId } = await staff.issueApiKey({ accountId });
    await expect(domains.resolveApiKey({ apiKey })).resolves.toMatchObject({ accountId, keyId });
    await staff.revokeApiKey({ keyId });
    await expect(refusalOf(domains.resolveApiKey({ apiKey }))).resolves.toMatchObject({
      code: "unauthenticated",
    });
  });

  it.each([
    ["nothing", ""],
    ["a beginning", "hlk_"],
    ["one that was never issued", "hlk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAad316f1e"],
    ["far too much", "x".repeat(10_000)],
  ])("finds no account for %s", async (_, apiKey) => {
    await expect(refusalOf(domains.resolveApiKey({ apiKey }))).resolves.toMatchObject({
      code: "unauthenticated",
    });
  });
});

describe("getAccount", () => {
  it("returns the balance after the last payment and charge", async () => {
    const accountId = await openAccount(5_000n, true);
    await domains.chargeBalance({ accountId, ...purchase });
    await expect(customer(accountId).getAccount({ accountId })).resolves.toMatchObject({
      accountId,
      name: "Ada",
      vatExempt: true,
      balanceCents: 4_000n,
      openedAt: service.clock.now(),
    });
  });
});

describe("chargeBalance", () => {
  it("charges the gross price and issues an invoice, which the customer reads at once", async () => {
    const accountId = await openAccount(5_000n);
    const charged = await domains.chargeBalance({ accountId, ...purchase });
    expect(charged).toMatchObject({ netCents: 1_000n, vatCents: 190n, grossCents: 1_190n });
    expect(charged.invoiceNumber).toBe(`2026-${String(accountId)}-000001`);
    const { invoices } = await customer(accountId).listInvoices({ accountId });
    expect(invoices).toMatchObject([
      { action: "topup", gateway: "transfer", grossCents: 5_000n, delivered: true, duration: 0 },
      {
        id: charged.invoiceId,
        number: charged.invoiceNumber,
        action: "purchase",
        gateway: "balance",
        netCents: 1_000n,
        vatCents: 190n,
        grossCents: 1_190n,
        vatRatePercent: 19,
        duration: 1,
        delivered: false,
        domainId: 3n,
        paidAt: service.clock.now(),
        createdAt: service.clock.now(),
      },
    ]);
    expect(invoices[0]?.domainId).toBeUndefined();
    expect(invoices[1]?.correctsInvoiceId).toBeUndefined();
  });

  it("charges once, despite repeated and simultaneous requests", async () => {
    const accountId = await openAccount(5_000n);
    const charge = () => domains.chargeBalance({ accountId, ...purchase });
    const first = await charge();
    const repeats = await Promise.all([charge(), charge(), charge()]);
    for (const repeat of repeats) expect(repeat).toEqual(first);
    await expect(domains.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 3_810n });
  });

  it("reports to callers that ask whether the charge is new: once only", async () => {
    const accountId = await openAccount(5_000n);
    const charge = () => domains.chargeBalance({ accountId, ...purchase, asksWhetherNew: true });
    const charged = await Promise.all([charge(), charge(), charge()]);
    expect(charged.filter(({ isNew }) => isNew)).toHaveLength(1);
    const { isNew, ...same } = await charge();
    expect(isNew).toBe(false);
    for (const answer of charged) expect(answer).toMatchObject(same);
    await expect(domains.chargeBalance({ accountId, ...purchase })).resolves.toEqual(same);
  });

  it("refuses a charge that was made with another amount", async () => {
    const accountId = await openAccount(5_000n);
    await domains.chargeBalance({ accountId, ...purchase });
    const other = [{ description: "x", quantity: 2, unitNetCents: 1_000n }];
    await expect(
      refusalOf(domains.chargeBalance({ accountId, ...purchase, lines: other })),
    ).resolves.toMatchObject({ code: "charge-conflict" });
    await expect(domains.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 3_810n });
  });

  it("refuses a price above the balance, and returns the balance", async () => {
    const accountId = await openAccount(1_189n);
    await expect(refusalOf(domains.chargeBalance({ accountId, ...purchase }))).resolves.toMatchObject({
      code: "insufficient-balance",
      detail: { requiredCents: 1_190n, availableCents: 1_189n },
    });
    await expect(domains.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 1_189n });
  });

  it("refuses an account that does not exist", async () => {
    await expect(
      refusalOf(domains.chargeBalance({ accountId: 999_999n, ...purchase })),
    ).resolves.toMatchObject({ code: "account-not-open" });
  });

  it.each([
    ["accountId", "no id", { accountId: 0n }],
    ["chargeId", "empty", { chargeId: "" }],
    ["chargeId", "too long", { chargeId: "x".repeat(201) }],
    ["chargeId", "two lines", { chargeId: "two\nlines" }],
    ["action", "unknown", { action: "topup" }],
    ["lines", "none", { lines: [] }],
    ["lines", "too many", { lines: Array.from({ length: 101 }, () => line) }],
    ["lines", "of nothing", { lines: [{ ...line, quantity: 0 }] }],
    ["lines", "without a description", { lines: [{ ...line, description: " " }] }],
    ["lines", "with a description of two lines", { lines: [{ ...line, description: "A\nB" }] }],
    ["lines", "of too many", { lines: [{ ...line, quantity: 10_001 }] }],
    ["lines", "with a price below zero", { lines: [{ ...line, unitNetCents: -1n }] }],
    ["lines", "with a price too high", { lines: [{ ...line, unitNetCents: 10n ** 11n + 1n }] }],
    ["lines", "with a description too long", { lines: [{ ...line, description: "x".repeat(1_001) }] }],
    ["domainId", "no id", { domainId: 0n }],
    ["domainId", "below zero", { domainId: -3n }],
    ["domainId", "more than a number holds", { domainId: 2n ** 53n }],
  ])("refuses a bad %s: %s", async (field, _, change) => {
    const accountId = await openAccount(5_000n);
    const refusal = await refusalOf(domains.chargeBalance({ accountId, ...purchase, ...change }));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    await expect(domains.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 5_000n });
  });

  it("names every bad field at once", async () => {
    const refusal = await refusalOf(domains.chargeBalance({ accountId: 0n, chargeId: "", action: "gift" }));
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([
      "accountId",
      "chargeId",
      "action",
      "lines",
    ]);
  });
});

describe("refundRegistration", () => {
  const refund = { chargeId: purchase.chargeId, reason: "The registrar refused" };

  it("returns the charge in full and issues a correction, which the customer reads at once", async () => {
    const accountId = await openAccount(5_000n);
    const { invoiceId } = await domains.chargeBalance({ accountId, ...purchase });
    const refunded = await domains.refundRegistration({ accountId, ...refund });
    expect(refunded.grossCents).toBe(1_190n);
    await expect(domains.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 5_000n });
    const { invoices } = await customer(accountId).listInvoices({ accountId });
    expect(invoices[2]).toMatchObject({
      id: refunded.correctionId,
      action: "refund",
      grossCents: -1_190n,
      correctsInvoiceId: invoiceId,
      number: `2026-${String(accountId)}-C000001`,
    });
  });

  it("refunds once, despite repeated requests", async () => {
    const accountId = await openAccount(5_000n);
    await domains.chargeBalance({ accountId, ...purchase });
    const first = await domains.refundRegistration({ accountId, ...refund });
    const again = { accountId, ...refund, reason: "Asked again" };
    await expect(domains.refundRegistration(again)).resolves.toEqual(first);
    await expect(domains.getAccount({ accountId })).resolves.toMatchObject({ balanceCents: 5_000n });
  });

  it("refuses a charge that was never made, or by another account", async () => {
    const [accountId, other] = [await openAccount(5_000n), await openAccount()];
    await domains.chargeBalance({ accountId, ...purchase });
    for (const wrong of [
      { accountId, ...refund, chargeId: "registration-9" },
      { accountId: other, ...refund },
    ])
      await expect(refusalOf(domains.refundRegistration(wrong))).resolves.toMatchObject({
        code: "charge-not-found",
      });
    await expect(
      refusalOf(domains.refundRegistration({ accountId: 999_999n, ...refund })),
    ).resolves.toMatchObject({ code: "account-not-open" });
  });

  it.each([
    ["accountId", "no id", { accountId: 0n }],
    ["chargeId", "blank", { chargeId: " " }],
    ["reason", "empty", { reason: "" }],
    ["reason", "too long", { reason: "x".repeat(1_001) }],
  ])("refuses a bad %s: %s", async (field, _, change) => {
    const refusal = await refusalOf(domains.refundRegistration({ accountId: 1n, ...refund, ...change }));
    expect(refusal.code).toBe("validation-failed");
    expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
  });
});
