import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusalOf } from "@hostledger/rpc/testing";
import { manualClock, realTiming } from "@hostledger/runtime";

import {
  openAccountService,
  type AccountClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

/** Tests one document with its lines, unchanged since its issue. */

let service: AccountServiceFixture;
let domains: AccountClient;

beforeAll(async () => {
  service = await openAccountService();
  domains = service.accounts({ kind: "service", name: "domain" });
});
afterAll(() => service.close());

const customer = (accountId: bigint): AccountClient =>
  service.accounts({ kind: "account", accountId: Number(accountId), keyId: 1 });

async function openAccount(vatExempt = false): Promise<bigint> {
  const staff = service.staff();
  const { accountId } = await staff.openAccount({ name: "Ada", vatExempt });
  await staff.topUpAccount({ accountId, amountCents: 10_000n, reference: `bank-${String(accountId)}` });
  return accountId;
}

const lines = [
  { description: "Registration of example.com, per year", quantity: 2, unitNetCents: 1_000n },
  { description: "A second line", quantity: 1, unitNetCents: 1n },
];
const purchase = { chargeId: "registration-1", action: "purchase", lines, duration: 2, domainId: 3n };

async function receiptOf(accountId: bigint): Promise<bigint> {
  const { invoices } = await customer(accountId).listInvoices({ accountId });
  return invoices.find(({ action }) => action === "topup")?.id ?? 0n;
}

describe("getInvoice", () => {
  it("returns a customer's invoice right after its issue, with the lines in order", async () => {
    const accountId = await openAccount();
    const { invoiceId, invoiceNumber } = await domains.chargeBalance({ accountId, ...purchase });
    await expect(customer(accountId).getInvoice({ invoiceId })).resolves.toMatchObject({
      invoice: {
        id: invoiceId,
        number: invoiceNumber,
        action: "purchase",
        netCents: 2_001n,
        vatCents: 380n,
        grossCents: 2_381n,
        vatRatePercent: 19,
      },
      accountId,
      accountName: "Ada",
      cause: "registration-1",
      pricesIncludeVat: false,
      lines: [
        {
          description: "Registration of example.com, per year",
          quantity: 2,
          unitCents: 1_000n,
          amountCents: 2_000n,
        },
        { description: "A second line", quantity: 1, unitCents: 1n, amountCents: 1n },
      ],
    });
  });

  it("shows that prices contain VAT, and none for an exempt account", async () => {
    const accountId = await openAccount(true);
    const charge = { accountId, ...purchase, chargeId: "serverrenewal-1", pricesIncludeVat: true };
    const { invoiceId } = await domains.chargeBalance(charge);
    await expect(customer(accountId).getInvoice({ invoiceId })).resolves.toMatchObject({
      invoice: { netCents: 2_001n, vatCents: 0n, grossCents: 2_001n, vatRatePercent: 0 },
      pricesIncludeVat: true,
    });
  });

  it("shows a correction with the invoice that it names, and why", async () => {
    const accountId = await openAccount();
    const charged = await domains.chargeBalance({ accountId, ...purchase });
    const issuedAt = service.clock.now();
    service.clock.advance(60_000);
    const refund = { accountId, chargeId: purchase.chargeId, reason: "The registrar refused" };
    const { correctionId } = await domains.refundRegistration(refund);
    await expect(customer(accountId).getInvoice({ invoiceId: correctionId })).resolves.toMatchObject({
      invoice: { action: "refund", grossCents: -2_381n, correctsInvoiceId: charged.invoiceId },
      cause: "registration-1",
      lines: [],
      correctsNumber: charged.invoiceNumber,
      correctsIssuedAt: issuedAt,
      reason: "The registrar refused",
    });
  });

  it("shows the customer's name at the issue despite later changes, and no name after an erasure", async () => {
    const accountId = await openAccount();
    const buyerOf = async (invoiceId: bigint) => (await domains.getInvoice({ invoiceId })).buyer;
    const receipt = await receiptOf(accountId);
    service.clock.advance(1_000);
    const staff = service.staff();
    const ada = {
      name: "Ada Lovelace",
      street: "Hauptstraße 1",
      city: "Berlin",
      country: "DE",
      vatId: "DE123456788",
    };
    await staff.setProfile({ accountId, changes: ada });
    service.clock.advance(1_000);
    const { invoiceId } = await domains.chargeBalance({ accountId, ...purchase });
    service.clock.advance(1_000);
    await staff.setProfile({ accountId, changes: { city: "Potsdam" } });
    const shown = await customer(accountId).getInvoice({ invoiceId });
    expect(shown.buyer).toMatchObject({ ...ada, organisation: "", postalCode: "" });
    expect(await buyerOf(receipt)).toBeUndefined();
    await staff.eraseAccount({ accountId, force: true });
    expect(await buyerOf(invoiceId)).toMatchObject({
      name: "[erased]",
      street: "[erased]",
      vatId: "[erased]",
    });
  });

  it("shows the buyer that the document froze, also when the clock stood still or went back", async () => {
    const accountId = await openAccount();
    const staff = service.staff();
    const cityOf = async ({ invoiceNumber: invoice }: { readonly invoiceNumber: string }) =>
      (await staff.showInvoice({ invoice })).document?.buyer?.city;
    await staff.setProfile({ accountId, changes: { name: "Ada", city: "Berlin", country: "DE" } });
    const first = await domains.chargeBalance({ accountId, ...purchase, chargeId: "registration-2" });
    // In the same millisecond.
    await staff.setProfile({ accountId, changes: { city: "Potsdam" } });
    expect(await cityOf(first)).toBe("Berlin");

    const earlier = await service.beside({ clock: manualClock("2026-02-01T10:00:00.000000Z", realTiming) });
    const late = earlier.accounts({ kind: "service", name: "domain" });
    const second = await late.chargeBalance({ accountId, ...purchase, chargeId: "registration-3" });
    await service.projector.after("end");
    expect(await cityOf(second)).toBe("Potsdam");
    const { invoiceId } = second;
    expect((await customer(accountId).getInvoice({ invoiceId })).buyer?.city).toBe("Potsdam");
  });

  it("shows a receipt with the payment's reference", async () => {
    const accountId = await openAccount();
    const receipt = await customer(accountId).getInvoice({ invoiceId: await receiptOf(accountId) });
    expect(receipt).toMatchObject({
      invoice: { action: "topup", grossCents: 10_000n, vatCents: 0n },
      cause: `bank-${String(accountId)}`,
      lines: [{ description: "Balance top-up", quantity: 1, amountCents: 10_000n }],
    });
    expect(receipt.correctsNumber).toBeUndefined();
    expect(receipt.reason).toBeUndefined();
  });

  it("shows a document to its customer and to services, and to no other customer", async () => {
    const [owner, stranger] = [await openAccount(), await openAccount()];
    const invoiceId = await receiptOf(owner);
    await expect(refusalOf(customer(stranger).getInvoice({ invoiceId }))).resolves.toMatchObject({
      code: "unauthorized",
    });
    await expect(domains.getInvoice({ invoiceId })).resolves.toMatchObject({ accountId: owner });
  });

  it.each([0n, -1n, 999_999n, 2n ** 62n])("finds no document %s", async (invoiceId) => {
    const accountId = await openAccount();
    for (const client of [customer(accountId), domains])
      await expect(refusalOf(client.getInvoice({ invoiceId }))).resolves.toMatchObject({ code: "not-found" });
  });

  it("is answered with a token only", async () => {
    await expect(refusalOf(service.accounts(undefined).getInvoice({ invoiceId: 1n }))).resolves.toMatchObject(
      {
        code: "unauthenticated",
      },
    );
  });
});
