import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { property, readEventsOf } from "../support/books.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { programSource } from "../support/programs.ts";
import { customerAt, openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** Changing every seller setting and upgrading the template changes no byte of an archived document. */

const settings = {
  HOSTLEDGER_DATABASE: "sqlite",
  HOSTLEDGER_TAX: "eu",
  HOSTLEDGER_SELLER_NAME: "First GmbH",
  HOSTLEDGER_SELLER_STREET: "First Street 1",
  HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
  HOSTLEDGER_SELLER_CITY: "Berlin",
  HOSTLEDGER_SELLER_VAT_ID: "DE123456788",
  HOSTLEDGER_SELLER_EMAIL: "first@example.com",
};

const otherSettings = {
  HOSTLEDGER_DATABASE: "sqlite",
  HOSTLEDGER_TAX: "flat",
  HOSTLEDGER_SELLER_NAME: "Third SARL",
  HOSTLEDGER_SELLER_STREET: "Rue Troisième 3",
  HOSTLEDGER_SELLER_POSTAL_CODE: "75001",
  HOSTLEDGER_SELLER_CITY: "Paris",
  HOSTLEDGER_SELLER_COUNTRY: "FR",
  HOSTLEDGER_SELLER_VAT_ID: "FR40303265045",
  HOSTLEDGER_SELLER_TAX_NUMBER: "33/333/33333",
  HOSTLEDGER_SELLER_EMAIL: "third@example.com",
  HOSTLEDGER_SELLER_PHONE: "+33 1 33 33 33 33",
  HOSTLEDGER_SELLER_CONTACT: "Troisième",
  HOSTLEDGER_SELLER_EXEMPTION_REASON: "Exempt for the third reason.",
  HOSTLEDGER_SELLER_SMALL_BUSINESS: "true",
  HOSTLEDGER_TIME_ZONE: "Pacific/Auckland",
  HOSTLEDGER_RETENTION_INVOICES: "12",
  HOSTLEDGER_RETENTION_JOURNALS: "15",
};

/** Every field of a seller, each with another value. */
const otherSeller = {
  name: "Second AG",
  street: "Second Street 2",
  postalCode: "1010",
  city: "Wien",
  country: "AT",
  vatId: "ATU13585627",
  taxNumber: "22/222/2222",
  email: "second@example.com",
  phone: "+43 1 22 22 22",
  contact: "Zweiter",
  exemptionReason: "Exempt for the second reason.",
  smallBusiness: true,
  timeZone: "America/New_York",
  reason: "sold the company",
};

const german = {
  kind: "person",
  name: "Ada Müller",
  street: "Weg 1",
  city: "Bonn",
  postal_code: "53111",
  country: "DE",
};
const french = {
  kind: "person",
  name: "Ada Née",
  street: "Rue 1",
  city: "Paris",
  postal_code: "75001",
  country: "FR",
};

const languages = [
  ["de", german],
  ["en", french],
] as const;

it("changing every seller setting and upgrading the template changes no byte of an archived document", async () => {
  const { path: data, remove } = temporaryDirectory();
  onTestFinished(remove);
  const entry = programSource("hostledger");
  const first = await startInstanceProcess(data, { entry, environment: settings });
  onTestFinished(() => first.kill());
  await sell(first.staff, "com");
  const customers: Customer[] = [];
  for (const [language, profile] of languages) customers.push(await buyer(first, language, profile));
  const before = await filesOf(first, customers);
  // Four documents in each language; invoices and corrections have XML too.
  expect([...before.keys()].filter((path) => path.endsWith(".pdf"))).toHaveLength(8);
  expect([...before.keys()].filter((path) => path.endsWith(".xml"))).toHaveLength(4);
  expect(await first.staff.accounts.changeSeller(otherSeller)).toMatchObject({ seller: { version: 2 } });
  expect(await filesOf(first, customers)).toEqual(before);
  expect(await first.stop()).toBe(0);

  const upgrade = `--import ${import.meta.resolve("../support/upgraded-template.child.ts")}`;
  const environment = { ...otherSettings, NODE_OPTIONS: upgrade };
  const second = await startInstanceProcess(data, { entry, environment });
  onTestFinished(() => second.kill());
  const after = await filesOf(second, customers);
  for (const [path, content] of before) expect([path, after.get(path)]).toEqual([path, content]);

  // New documents show that the program is another.
  const [one] = customers;
  if (one === undefined) throw new Error("there is no customer");
  const customer = customerAt(second.baseUrl, one);
  const payment = { accountId: BigInt(one.accountId), amountCents: 10_000n, reference: "bank-upgraded" };
  await second.staff.accounts.topUpAccount(payment);
  expect(await customer.post("/domains", { domain: "upgraded.com" })).toMatchObject({ status: 201 });
  const all = await filesOf(second, [one]);
  const added = [...all].filter(([path]) => !before.has(path));
  expect(added.map(([path]) => path.slice(-3)).sort()).toEqual(["pdf", "pdf", "xml"]);
  const xml = Buffer.from(added.find(([path]) => path.endsWith(".xml"))?.[1] ?? "", "base64").toString();
  expect(xml).toContain("Second AG");
  expect(xml).toMatch(/<ram:ID>upgraded 20\d\d-/u);
  expect(await second.stop()).toBe(0);
  const issued = (await readEventsOf(data)).filter(({ type }) => type === "InvoiceIssued");
  const versions = issued.map(({ data: event }) => property(property(event, "terms"), "templateVersion"));
  expect(versions).toEqual([...versions.slice(2).fill(1), 2, 2]);
});

/** Opens an account that has a receipt, an invoice, a correction and the cancellation of the receipt. */
async function buyer(
  { staff, baseUrl }: InstanceProcess,
  language: string,
  profile: object,
): Promise<Customer> {
  const customer = await openCustomer(staff, baseUrl, { balanceCents: 0n });
  await customer.put("/account", profile);
  const accountId = BigInt(customer.accountId);
  await staff.accounts.topUpAccount({ accountId, amountCents: 10_000n, reference: `bank-${language}` });
  expect(await customer.post("/domains", { domain: `bytes-${language}.com` })).toMatchObject({ status: 201 });
  const { invoices } = await staff.accounts.listAllInvoices({ accountId });
  const number = invoices.find(({ invoice }) => invoice?.action === "purchase")?.invoice?.number ?? "";
  await staff.accounts.refundCharge({ chargeOrInvoice: number, reason: "goodwill" });
  await staff.accounts.reverseTopUp({ accountId, reference: `bank-${language}`, reason: "returned" });
  return customer;
}

/** Downloads all files of the customers' documents, by path, in base64. */
async function filesOf(
  { baseUrl }: InstanceProcess,
  customers: readonly Customer[],
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const { accountId, apiKey } of customers) {
    const documents = itemsOf(
      (await customerAt(baseUrl, { accountId, apiKey }).get("/billing/invoices")).body,
    );
    for (const { id } of documents.map((document) => objectOf(document)))
      for (const format of ["pdf", "xml"]) {
        const path = `/billing/invoices/${String(id)}.${format}`;
        const answer = await fetch(`${baseUrl}${path}`, { headers: { authorization: apiKey } });
        if (answer.status === 404 && format === "xml") continue;
        expect([path, answer.status]).toEqual([path, 200]);
        files.set(path, Buffer.from(await answer.arrayBuffer()).toString("base64"));
      }
  }
  return files;
}
