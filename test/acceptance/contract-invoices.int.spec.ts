import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyTimestamp, itemsOf, objectOf, textMatching, type JsonObject } from "../support/matchers.ts";
import { openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** `GET /billing/invoices/{invoice}` and its `.pdf` and `.xml`: invoices as documents, from the frozen events. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop({
    environment: {
      HOSTLEDGER_SELLER_NAME: "Beispiel & Söhne GmbH",
      HOSTLEDGER_SELLER_STREET: "Beispielweg 1",
      HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
      HOSTLEDGER_SELLER_CITY: "Berlin",
      HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
      HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400",
    },
  });
});

afterAll(() => shop.close());

/** The newest document of a kind, as the list shows it. */
async function newest(customer: Customer, action: string): Promise<JsonObject> {
  const all = itemsOf((await customer.get("/billing/invoices")).body);
  return objectOf(all.findLast((document) => document.action === action));
}

const pathOf = ({ id }: JsonObject, ending = ""): string => `/billing/invoices/${String(id)}${ending}`;

const amountIn = (xml: unknown, element: string): string | undefined =>
  new RegExp(`<ram:${element}(?: [^>]*)?>([^<]*)<`).exec(String(xml))?.[1];

describe("a domain's invoice", () => {
  it("has its line, and the same amounts in JSON, PDF and XML", async () => {
    expect((await shop.owner.put("/account", { name: "Ada Lovelace", city: "Berlin" })).status).toBe(200);
    await registerName(shop.owner, "invoice.com");
    const listed = await newest(shop.owner, "purchase");
    const { body } = await shop.owner.get(pathOf(listed));
    expect(body).toEqual({
      ...listed,
      vat: 1.9,
      vat_rate: 19,
      prices_include_vat: false,
      lines: [{ description: textMatching(/invoice\.com/), quantity: 1, unit_price: 10, amount: 10 }],
      payment_reference: null,
      corrects_invoice_id: null,
      corrects_number: null,
      reason: null,
    });

    const { headers, body: xml } = await shop.owner.get(pathOf(listed, ".xml"));
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${String(listed.number)}.xml"`);
    expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<rsm:CrossIndustryInvoice /);
    expect(xml).toContain("<ram:Name>Beispiel &amp; Söhne GmbH</ram:Name>");
    expect(xml).toContain("<ram:Name>Ada Lovelace</ram:Name>");
    expect(xml).toContain("<ram:CityName>Berlin</ram:CityName>");
    expect(amountIn(xml, "TaxBasisTotalAmount")).toBe("10.00");
    expect(amountIn(xml, "TaxTotalAmount")).toBe("1.90");
    expect(amountIn(xml, "GrandTotalAmount")).toBe("11.90");

    const pdf = await shop.owner.get(pathOf(listed, ".pdf"));
    expect(pdf.headers.get("content-type")).toBe("application/pdf");
    expect(pdf.body).toMatch(/^%PDF-/);
    expect((await shop.owner.get(pathOf(listed, ".pdf"))).body).toBe(pdf.body);
  });
});

describe("a server's invoice", () => {
  it("shows gross lines and the VAT that they contain", async () => {
    const server = await shop.provision();
    await shop.owner.post(`/servers/${String(server)}/renew`, { duration: 3 });
    const listed = await newest(shop.owner, "renewal");
    expect((await shop.owner.get(pathOf(listed))).body).toMatchObject({
      netto: 23.92,
      vat: 4.55,
      brutto: 28.47,
      prices_include_vat: true,
      lines: [{ quantity: 1, amount: 28.47 }],
    });
    const { body: xml } = await shop.owner.get(pathOf(listed, ".xml"));
    expect(amountIn(xml, "LineTotalAmount")).toBe("23.92");
    expect(amountIn(xml, "CalculatedAmount")).toBe("4.55");
    expect(amountIn(xml, "GrandTotalAmount")).toBe("28.47");
  });
});

describe("the invoice of an account without VAT", () => {
  it("names the reason", async () => {
    const customer = await shop.customer(10_000n);
    const accountId = BigInt(customer.accountId);
    await shop.instance.staff.accounts.setVatExemption({ accountId, vatExempt: true });
    await registerName(customer, "exempt.com");
    const listed = await newest(customer, "purchase");
    expect((await customer.get(pathOf(listed))).body).toMatchObject({ netto: 10, vat: 0, vat_rate: 0 });
    const { body: xml } = await customer.get(pathOf(listed, ".xml"));
    expect(amountIn(xml, "CategoryCode")).toBe("E");
    expect(amountIn(xml, "ExemptionReason")).toBe("Exempt from VAT.");
  });
});

describe("the correction of a refunded charge", () => {
  it("names the invoice that it returns", async () => {
    const customer = await shop.customer(10_000n);
    await customer.post("/domains", { domain: "refused-invoice.com" });
    const [charged, correction] = [await newest(customer, "purchase"), await newest(customer, "refund")];
    expect((await customer.get(pathOf(correction))).body).toMatchObject({
      brutto: -11.9,
      lines: [],
      corrects_invoice_id: charged.id,
      corrects_number: charged.number,
      reason: textMatching(/./),
      created_at: anyTimestamp,
    });
    const { body: xml } = await customer.get(pathOf(correction, ".xml"));
    expect(xml).toContain("<ram:TypeCode>384</ram:TypeCode>");
    expect(amountIn(xml, "IssuerAssignedID")).toBe(charged.number);
    expect(amountIn(xml, "GrandTotalAmount")).toBe("-11.90");
    expect(await customer.get(pathOf(correction, ".pdf"))).toMatchObject({ status: 200 });
  });
});

describe("the receipt of a top-up", () => {
  it("has a PDF and no XML, because it is no VAT invoice", async () => {
    const receipt = await newest(shop.owner, "topup");
    expect((await shop.owner.get(pathOf(receipt))).body).toMatchObject({
      payment_reference: textMatching(/./),
      vat: 0,
    });
    expect(await shop.owner.get(pathOf(receipt, ".pdf"))).toMatchObject({ status: 200 });
    expect(await shop.owner.get(pathOf(receipt, ".xml"))).toMatchObject({
      status: 404,
      body: { error: textMatching(/no VAT invoice/), code: "not_found" },
    });
  });
});

describe.each(["", ".pdf", ".xml"])("a document%s", (ending) => {
  it("of another account is refused", async () => {
    const receipt = await newest(shop.owner, "topup");
    expect(await shop.stranger.get(pathOf(receipt, ending))).toMatchObject(unauthorized);
  });

  it.each([0, -1, 999_999, "x"])("with the id %s is not found", async (id) => {
    expect(await shop.owner.get(pathOf({ id }, ending))).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
  });
});
