import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { isCreditorReference, topUpTransferReference } from "@hostledger/core";
import { camtFile, ownIban, type GivenPayment } from "@hostledger/providers/testing";
import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** Customers top up by bank transfer, with or without a payment provider, and staff import the bank's files. */

const { path: files, remove } = temporaryDirectory();
let shop: Shop;
beforeAll(async () => {
  shop = await openShop({
    environment: {
      HOSTLEDGER_BANK_IBAN: "DE89 3704 0044 0532 0130 00",
      HOSTLEDGER_BANK_BIC: "COBADEFFXXX",
      HOSTLEDGER_SELLER_NAME: "Müller Hosting GmbH",
      HOSTLEDGER_SELLER_STREET: "Weg 1",
      HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
      HOSTLEDGER_SELLER_CITY: "Berlin",
      HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
      HOSTLEDGER_PAYMENTS: "none",
    },
  });
});
afterAll(async () => {
  await shop.close();
  remove();
});

const bank = (...line: readonly string[]) => commandInProcess(shop.instance, realTiming, "bank", ...line);

let fileNumber = 0;
async function receive(...payments: readonly GivenPayment[]): Promise<string> {
  fileNumber += 1;
  const path = join(files, `${String(fileNumber)}.xml`);
  const numbered = payments.map((one, index) => ({ ref: `${String(fileNumber)}-${String(index)}`, ...one }));
  writeFileSync(path, camtFile({ id: `S-${String(fileNumber)}`, payments: numbered }));
  expect(await bank("import", path)).toMatchObject({ code: 0 });
  return path;
}

const begin = (customer: Customer, amount: unknown = 50, more: object = {}) =>
  customer.post("/billing/topups", { amount, method: "transfer", ...more });
const topUpIn = (body: unknown) => objectOf(objectOf(body).topup);
const read = async (customer: Customer, id: unknown) =>
  objectOf((await customer.get(`/billing/topups/${String(id)}`)).body);
const balanceOf = async (customer: Customer) =>
  objectOf((await customer.get("/billing/balance")).body).balance;

describe("a customer who pays by bank transfer", () => {
  it("gets a reference and a QR code, and has the money when the bank's file is imported", async () => {
    const customer = await shop.customer(0n);
    const answer = await begin(customer, 50.5);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        status: true,
        topup: {
          amount: 50.5,
          method: "transfer",
          state: "pending",
          paid: null,
          redirect_url: null,
          bank: { iban: ownIban, bic: "COBADEFFXXX", name: "Müller Hosting GmbH" },
        },
      },
    });
    const topup = topUpIn(answer.body);
    const details = objectOf(topup.bank);
    const reference = String(details.reference);
    expect(reference).toBe(topUpTransferReference(customer.accountId, Number(topup.id)));
    expect(isCreditorReference(reference)).toBe(true);
    expect(details.qr).toBe(
      `BCD\n002\n1\nSCT\nCOBADEFFXXX\nMüller Hosting GmbH\n${ownIban}\nEUR50.50\n\n${reference}`,
    );
    expect(await read(customer, topup.id)).toEqual(topup);

    const path = await receive({ amount: "50.50", creditorReference: reference, name: "Ada" });
    await expect
      .poll(() => read(customer, topup.id))
      .toMatchObject({ state: "settled", paid: 50.5, bank: null });
    expect(await balanceOf(customer)).toBe("50.50");
    expect(await bank("import", path)).toMatchObject({ code: 0, document: { repeated: true } });
    expect(await balanceOf(customer)).toBe("50.50");
    const [receipt] = itemsOf((await customer.get("/billing/invoices")).body);
    const detail = objectOf((await customer.get(`/billing/invoices/${String(receipt?.id)}`)).body);
    expect(detail).toMatchObject({
      action: "topup",
      payment_reference: (await read(customer, topup.id)).reference,
    });
  });

  it("downloads the payment request as a PDF while the money is awaited", async () => {
    const [customer, stranger] = [await shop.customer(0n), await shop.customer(0n)];
    const topup = topUpIn((await begin(customer)).body);
    const path = `/billing/topups/${String(topup.id)}.pdf`;
    const pdf = await customer.get(path);
    expect(pdf.status).toBe(200);
    expect(pdf.headers.get("content-type")).toBe("application/pdf");
    expect((await stranger.get(path)).status).toBe(403);
    expect((await customer.get("/billing/topups/999999.pdf")).status).toBe(404);
    await receive({ amount: "50.00", creditorReference: String(objectOf(topup.bank).reference) });
    await expect.poll(async () => (await customer.get(path)).status).toBe(404);
  });

  it("whose transfer was another customer's reads that", async () => {
    const [ada, ben] = [await shop.customer(0n), await shop.customer(0n)];
    const topup = topUpIn((await begin(ada)).body);
    await receive({ amount: "50.00", creditorReference: String(objectOf(topup.bank).reference) });
    await expect.poll(() => read(ada, topup.id)).toMatchObject({ state: "settled" });
    const listed: unknown = (await bank("list", "--status", "matched")).document;
    const entry = String(itemsOf(listed).at(-1)?.id);
    await bank("reassign", entry, String(ben.accountId), "--reason", "Ben used a wrong reference");
    await expect
      .poll(() => read(ada, topup.id))
      .toMatchObject({
        state: "returned",
        failure: "The bank transfer was another customer's.",
      });
    expect([await balanceOf(ada), await balanceOf(ben)]).toEqual(["0.00", "50.00"]);
    // Only a payment that waits can go back to its payer, so the top-up cannot lose its money in silence.
    const refused = await bank("return", entry, "--reason", "Back");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("bank reassign") });
  });

  it("makes one top-up for repeated requests", async () => {
    const customer = await shop.customer(0n);
    const once = { "Idempotency-Key": "transfer-1" };
    const asked = { amount: 20, method: "transfer" };
    const first = await customer.post("/billing/topups", asked, once);
    expect(await customer.post("/billing/topups", asked, once)).toMatchObject({
      status: 201,
      body: first.body,
    });
    expect(itemsOf((await customer.get("/billing/topups")).body)).toHaveLength(1);
  });

  it.each([
    ["nothing", { amount: 0 }, "amount"],
    ["less than nothing", { amount: -5 }, "amount"],
    ["three decimals", { amount: 10.001 }, "amount"],
    ["more than the limit", { amount: 10_000.01 }, "amount"],
    ["a method that is not offered", { method: "card" }, "method"],
    ["a page of another site", { return_url: "https://evil.example/" }, "return_url"],
  ])("is refused with %s, and nothing is stored", async (_what, change, field) => {
    const customer = await shop.customer(0n);
    const answer = await begin(customer, 50, change);
    expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
    expect(itemsOf((await customer.get("/billing/topups")).body)).toEqual([]);
  });
});

it("an instance without a bank account offers no transfer", async () => {
  const other = await openShop();
  expect(await begin(other.owner)).toMatchObject({
    status: 422,
    body: { errors: { method: [expect.stringContaining("must be card")] } },
  });
  await other.close();
});
