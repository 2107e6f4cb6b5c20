import { execFileSync } from "node:child_process";

import { expect, it, onTestFinished } from "vitest";

import { itemsOf } from "../support/matchers.ts";
import { openShop, registerName } from "../support/shop.ts";

/** A public buyer in Germany names its Leitweg-ID once, and then gets XRechnungen. */

const seller = {
  HOSTLEDGER_SELLER_NAME: "Beispiel & Söhne GmbH",
  HOSTLEDGER_SELLER_STREET: "Beispielweg 1",
  HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
  HOSTLEDGER_SELLER_CITY: "Berlin",
  HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
  HOSTLEDGER_SELLER_CONTACT: "Billing",
  HOSTLEDGER_SELLER_PHONE: "+49 30 1234567",
  HOSTLEDGER_SELLER_EMAIL: "billing@example.com",
};

it("an account with a Leitweg-ID gets XRechnungen, and its PDFs contain them", async () => {
  const shop = await openShop({ environment: seller });
  onTestFinished(() => shop.close());
  const customer = await shop.customer(10_000n);
  const profile = {
    kind: "organisation",
    name: "Erika Muster",
    organisation: "Bundesamt für Beispiele",
    street: "Amtsweg 1",
    postal_code: "53113",
    city: "Bonn",
    country: "DE",
    email: "amt@example.org",
    phone: "+4922812345678",
  };
  const refused = await customer.put("/account", { ...profile, leitweg_id: "991-03730-18" });
  expect(refused).toMatchObject({
    status: 422,
    body: {
      errors: {
        leitweg_id: [
          'The field leitweg_id must be a Leitweg-ID with its check digits, such as 991-03730-19 (sent: "991-03730-18").',
        ],
      },
    },
  });
  const accepted = await customer.put("/account", { ...profile, leitweg_id: "991-03730-19" });
  expect(accepted).toMatchObject({ status: 200, body: { leitweg_id: "991-03730-19", missing: [] } });

  await registerName(customer, "amt-beispiel.com");
  const invoice = itemsOf((await customer.get("/billing/invoices")).body).find(
    ({ action }) => action === "purchase",
  );
  const fileOf = async (format: string): Promise<Uint8Array> => {
    const url = `${shop.instance.baseUrl}/billing/invoices/${String(invoice?.id)}.${format}`;
    return (await fetch(url, { headers: { authorization: customer.apiKey } })).bytes();
  };
  const xml = Buffer.from(await fileOf("xml")).toString();
  expect(xml).toContain("urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0");
  expect(xml).toContain("<ram:BuyerReference>991-03730-19</ram:BuyerReference>");
  expect(xml).toContain("<ram:CompleteNumber>+49 30 1234567</ram:CompleteNumber>");
  const pdf = await fileOf("pdf");
  const text = execFileSync("pdftotext", ["-layout", "-", "-"], { input: pdf, encoding: "utf8" });
  expect(text).toMatch(/Leitweg-ID +991-03730-19/u);
  expect(Buffer.from(pdf).toString("latin1")).toContain("xrechnung.xml");
  // Another kind of customer has another address, or none.
  const changed = await customer.put("/account", { kind: "person" });
  expect(changed.body).toMatchObject({ leitweg_id: null, vat_id: null });
});
