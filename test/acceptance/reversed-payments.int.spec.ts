import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandInProcess, textInProcess } from "../support/command-in-process.ts";
import { itemsOf, textMatching } from "../support/matchers.ts";
import { balanceOf, openShop, type Shop } from "../support/shop.ts";

/** A payment that staff book on the wrong account, take back, and book on the right one. */

const clock = virtualClock();
let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ clock });
});
afterAll(() => shop.close());

const hostledger = (...line: readonly string[]) => commandInProcess(shop.instance, clock, ...line);
const said = (...line: readonly string[]) => textInProcess(shop.instance, clock, ...line);

const topUp = (id: number, reference: string, amount = "50.00") =>
  `admin account top-up ${String(id)} --amount ${amount} --reference ${reference}`.split(" ");
const takeBack = (id: number, reference: string) =>
  `admin account reverse-top-up ${String(id)} --reference ${reference} --reason Mistake`.split(" ");

it("staff can credit a reversed payment to the right account under its bank reference, but not twice", async () => {
  const [wrong, right, third] = [await shop.customer(), await shop.customer(), await shop.customer()];
  const reference = "bank-4711";
  expect(await said(...topUp(wrong.accountId, reference))).toMatchObject({ code: 0 });
  expect(await said(...topUp(wrong.accountId, reference))).toMatchObject({
    code: 0,
    stdout: textMatching(/^Nothing was done: bank-4711 was credited before/u),
  });
  expect((await said(...topUp(wrong.accountId, reference, "50.01"))).code).toBe(1);
  expect((await said(...topUp(right.accountId, reference))).code).toBe(1);
  expect(await hostledger(...takeBack(wrong.accountId, reference))).toMatchObject({
    code: 0,
    document: { balance: await balanceOf(wrong), repeated: false },
  });
  expect(await said(...takeBack(wrong.accountId, reference))).toMatchObject({
    code: 0,
    stdout: textMatching(/^Nothing was done/u),
  });
  const late = await said(...topUp(wrong.accountId, reference));
  expect(late).toMatchObject({ code: 1, stdout: "", stderr: textMatching(/taken back from this account/u) });
  const before = await balanceOf(right);
  expect(await hostledger(...topUp(right.accountId, reference))).toMatchObject({
    code: 0,
    document: { repeated: false },
  });
  expect(Number(await balanceOf(right))).toBe(Number(before) + 50);
  for (const { accountId } of [wrong, third])
    expect((await said(...topUp(accountId, reference))).code).toBe(1);
});

it("the receipt of a reversed payment is shown as not paid, and a document cancels it", async () => {
  const customer = await shop.customer();
  const reference = "bank-4712";
  const booked = await hostledger(...topUp(customer.accountId, reference));
  const list = async () => itemsOf((await customer.get("/billing/invoices")).body);
  expect(booked.code).toBe(0);
  const receiptId = (await list()).at(-1)?.id;
  expect(await list()).toContainEqual(expect.objectContaining({ id: receiptId, paid: true }));
  await hostledger(...takeBack(customer.accountId, reference));

  const documents = await list();
  expect(documents).toContainEqual(expect.objectContaining({ id: receiptId, paid: false }));
  const cancellation = documents.at(-1);
  expect(cancellation).toMatchObject({ action: "refund", brutto: -50, netto: -50, paid: true });
  expect((await customer.get(`/billing/invoices/${String(cancellation?.id)}`)).body).toMatchObject({
    corrects_invoice_id: receiptId,
    payment_reference: reference,
    reason: "Mistake",
    vat: 0,
  });
  expect((await customer.get(`/billing/invoices/${String(cancellation?.id)}.xml`)).status).toBe(404);
  for (const id of [receiptId, cancellation?.id])
    expect((await customer.get(`/billing/invoices/${String(id)}.pdf`)).status).toBe(200);

  const journal = await said("audit", "journal", "--format", "csv");
  const posted = journal.stdout.split("\r\n").filter((row) => row.includes(String(cancellation?.number)));
  expect(posted.map((row) => row.split(",")[4])).toEqual([
    `Liabilities:Customers:${String(customer.accountId)}`,
    "Assets:Bank",
  ]);
  await eventually(
    clock,
    async () => {
      const { stdout } = await said("audit", "verify", "--live");
      expect(stdout).toMatch(/^Verified [1-9]\d* events /mu);
      expect(stdout).not.toMatch(/^documents: /mu);
    },
    { everyMs: 1_000 },
  );
});
