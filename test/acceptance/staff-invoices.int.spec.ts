import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { realTiming } from "@hostledger/runtime";
import { directoryOfSuite } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandInProcess, hostledgerInProcess, textInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf, type JsonObject } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** `hostledger admin invoice fetch` gives staff the customer's file, byte for byte. */

const directory = directoryOfSuite();
let shop: Shop;

beforeAll(async () => {
  shop = await openShop({
    environment: {
      HOSTLEDGER_SELLER_NAME: "Beispiel & Söhne GmbH",
      HOSTLEDGER_SELLER_STREET: "Beispielweg 1",
      HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
      HOSTLEDGER_SELLER_CITY: "Berlin",
      HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
    },
  });
  await registerName(shop.owner, "fetched.com");
});
afterAll(() => shop.close());

/** The owner's newest document of a kind. */
async function newest(action: string): Promise<JsonObject> {
  const all = itemsOf((await shop.owner.get("/billing/invoices")).body);
  return objectOf(all.findLast((document) => document.action === action));
}

const line = ["admin", "invoice", "fetch"];
const fetch = (...rest: readonly string[]) => textInProcess(shop.instance, realTiming, ...line, ...rest);

it.each(["pdf", "xml"])(
  "staff fetch as %s, by number and id, the document that the customer downloads",
  async (format) => {
    const { id, number } = await newest("purchase");
    const { body } = await shop.owner.get(`/billing/invoices/${String(id)}.${format}`);
    for (const wanted of [String(number), String(id)])
      expect(await fetch(wanted, "--format", format)).toEqual({ code: 0, stdout: body, stderr: "" });
    if (format === "xml") expect(body).toContain("<ram:Name>Beispiel &amp; Söhne GmbH</ram:Name>");
  },
);

it("staff fetch a document into a file that only its owner may read", async () => {
  const { number } = await newest("purchase");
  const file = join(directory, "invoice.pdf");
  const asked = [...line, String(number), "--format", "pdf", "--out", file];
  const { code, document } = await commandInProcess(shop.instance, realTiming, ...asked);
  const bytes = readFileSync(file);
  expect({ code, document }).toEqual({
    code: 0,
    document: { name: `${String(number)}.pdf`, media_type: "application/pdf", bytes: bytes.length, file },
  });
  expect(bytes.subarray(0, 5).toString("latin1")).toBe("%PDF-");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("admin invoice show names the document's buyer, despite later changes of the profile", async () => {
  const customer = await shop.customer(10_000n);
  const profile = { kind: "person", name: "Ada", street: "Weg 1", postal_code: "53111", country: "DE" };
  await customer.put("/account", { ...profile, city: "Bonn" });
  await registerName(customer, "shown-buyer.com");
  await customer.put("/account", { city: "Köln", name: "Ada Nova" });
  const { number } = objectOf(itemsOf((await customer.get("/billing/invoices")).body).at(-1));
  const asked = ["admin", "invoice", "show", String(number)];
  const { document } = await commandInProcess(shop.instance, realTiming, ...asked);
  expect(document).toMatchObject({
    buyer: { name: "Ada", street: "Weg 1", postal_code: "53111", city: "Bonn", country: "DE", vat_id: "" },
  });
  const { stdout } = await textInProcess(shop.instance, realTiming, ...asked);
  expect(stdout).toMatch(/^buyer +Ada, Weg 1, 53111, Bonn, DE$/mu);
});

it("admin invoice fetch refuses the electronic invoice of a receipt and unknown documents", async () => {
  const { number } = await newest("topup");
  for (const [wanted, format] of [
    [String(number), "xml"],
    ["2026-7-999999", "pdf"],
    ["0", "pdf"],
  ] as const) {
    const { code, stdout, stderr } = await fetch(wanted, "--format", format);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).not.toBe("");
  }
});

it("admin invoice fetch is allowed to each role of staff, and to nobody else", async () => {
  const { instance } = shop;
  const { number } = await newest("purchase");
  const asked = [...line, String(number), "--format", "xml", "--admin-url", instance.adminUrl];
  for (const role of ["support", "finance", "operator"]) {
    const { token } = await instance.staff.members.addStaffMember({ name: `anna-${role}`, role });
    const { code, stdout } = await hostledgerInProcess({ HOSTLEDGER_ADMIN_TOKEN: token }, ...asked);
    expect([role, code, stdout.startsWith("<?xml")]).toEqual([role, 0, true]);
  }
  const { code, stdout } = await hostledgerInProcess({ HOSTLEDGER_ADMIN_TOKEN: shop.owner.apiKey }, ...asked);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
});
