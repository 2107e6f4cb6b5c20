import { cpSync } from "node:fs";
import { join } from "node:path";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { startPostgresServer } from "@hostledger/runtime/testing/postgres";
import { startMailServer } from "@hostledger/support-service/testing";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";

import { hostledgerInProcess } from "../support/command-in-process.ts";
import { hostledger } from "../support/command-line.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { metricOf } from "../support/metric-of.ts";
import { registerName } from "../support/shop.ts";
import { customerAt, openCustomer, sell, type Customer } from "../support/staff-client.ts";
import { unpackedFilesWith } from "../support/unpacked-files.ts";

/**
 * After an erasure, documents within retention open for finance alone, and the person's data is gone everywhere else, backups
 * included.
 */

type MailServer = Awaited<ReturnType<typeof startMailServer>>;

const environment = {
  HOSTLEDGER_TAX: "eu",
  HOSTLEDGER_SELLER_NAME: "Hosting GmbH",
  HOSTLEDGER_SELLER_STREET: "Seller Street 1",
  HOSTLEDGER_SELLER_POSTAL_CODE: "10115",
  HOSTLEDGER_SELLER_CITY: "Berlin",
  HOSTLEDGER_SELLER_VAT_ID: "DE129273398",
};
const person = {
  kind: "organisation",
  name: "Wilhelmina Quastenberg",
  organisation: "Quastenberg Papageien KG",
  street: "Schornsteinfegergasse 77",
  city: "Buxtehude",
  postal_code: "21614",
  country: "DE",
  email: "wilhelmina@quastenberg.example",
  phone: "+49.41615550123",
  vat_id: "DE123456788",
};
const ticket = { title: "Umzugskarton verschwunden", message: "Das Kellerfenster klemmt seit Ostern" };
const texts = [
  "Quastenberg",
  "Papageien",
  "Schornsteinfegergasse",
  "Buxtehude",
  "wilhelmina@",
  "41615550123",
  "DE123456788",
  "Umzugskarton",
  "Kellerfenster",
];

it("after an erasure and a restore, finance alone opens the documents, and no file has a text of the person", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const at = (...names: string[]): string => join(path, ...names);
  const mail = await startMailServer();
  const machine = await start(at("machine"), { mail });
  const { customer, number } = await knownBuyer(machine, mail);
  await backup(at("set"), at("machine"));
  cpSync(at("set"), at("early"), { recursive: true });

  const id = String(customer.accountId);
  const erased = await hostledger(
    "admin",
    "account",
    "erase",
    id,
    "--force",
    "--data",
    at("machine"),
    "--json",
  );
  expect(erased).toMatchObject({ code: 0 });
  expect(JSON.parse(erased.stdout)).toMatchObject({ key_destroyed: true, documents_kept: 2 });
  await expectErased(machine, customer, number);
  await backup(at("set"), at("machine"));
  expect(await machine.stop()).toBe(0);
  expect(unpackedFilesWith(at("machine"), texts)).toEqual([]);
  expect(unpackedFilesWith(at("set"), texts)).toEqual([]);
  // Finding impersonal text proves that the search works.
  for (const directory of ["machine", "set"])
    expect(unpackedFilesWith(at(directory), ["kept-and-erased.com"])).not.toEqual([]);

  // The set with the erasure in it.
  expect(await hostledger("restore", at("set"), "--data", at("restored"))).toMatchObject({ code: 0 });
  const restored = await start(at("restored"), { mail });
  await expectErased(restored, customer, number);
  expect(await restored.stop()).toBe(0);
  expect(unpackedFilesWith(at("restored"), texts)).toEqual([]);

  // A copy of the whole set from before the erasure knows nothing of it, so the erasure is repeated there.
  expect(await hostledger("restore", at("early"), "--data", at("again"))).toMatchObject({ code: 0 });
  const again = await start(at("again"), { mail });
  expect(await hostledger("admin", "account", "erase", id, "--force", "--data", at("again"))).toMatchObject({
    code: 0,
  });
  await expectErased(again, customer, number);
  expect(await again.stop()).toBe(0);
  expect(unpackedFilesWith(at("again"), texts)).toEqual([]);
  expect(unpackedFilesWith(at("early"), texts)).toEqual([]);
});

it("with PostgreSQL, too, finance alone opens the documents, and no file has a text of the person", async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const postgres = await startPostgresServer();
  onTestFinished(() => postgres.stop());
  const mail = await startMailServer();
  const machine = await start(join(path, "machine"), { mail, database: postgres.url });
  const { customer, number } = await knownBuyer(machine, mail);
  const accountId = BigInt(customer.accountId);
  await machine.staff.accounts.eraseAccount({ accountId, force: true });
  await expectErased(machine, customer, number);
  expect(await machine.stop()).toBe(0);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("checkpoint");
  const { rows } = await client.query<{ data_directory: string }>("show data_directory");
  await client.end();
  for (const directory of [path, rows[0]?.data_directory ?? ""]) {
    expect(unpackedFilesWith(directory, texts)).toEqual([]);
    expect(unpackedFilesWith(directory, ["kept-and-erased.com"])).not.toEqual([]);
  }
});

/** Creates a customer with all personal data who has bought something. */
async function knownBuyer(
  instance: InstanceProcess,
  mail: MailServer,
): Promise<{ readonly customer: Customer; readonly number: string }> {
  const { staff, baseUrl } = instance;
  await sell(staff, "com");
  const customer = await openCustomer(staff, baseUrl, { name: person.name });
  expect((await customer.put("/account", person)).status).toBe(200);
  const accountId = BigInt(customer.accountId);
  await staff.accounts.topUpAccount({ accountId, amountCents: 10_000n, reference: "bank-1" });
  await registerName(customer, "kept-and-erased.com");
  expect((await customer.post("/tickets", ticket)).status).toBe(201);
  await allArchived(instance);
  await expect.poll(() => mail.taken.length, { timeout: 60_000 }).toBeGreaterThan(1);
  return { customer, number: await invoiceOf(instance, customer) };
}

async function start(
  data: string,
  { mail, database = "sqlite" }: { readonly mail: MailServer; readonly database?: string },
): Promise<InstanceProcess> {
  const instance = await startInstanceProcess(data, {
    environment: {
      ...environment,
      HOSTLEDGER_DATABASE: database,
      HOSTLEDGER_SMTP_URL: mail.url,
      HOSTLEDGER_MAIL_FROM: "hosting@example.com",
    },
  });
  onTestFinished(() => instance.kill());
  return instance;
}

async function backup(set: string, data: string): Promise<void> {
  expect(await hostledger("backup", set, "--data", data)).toMatchObject({ code: 0, stderr: "" });
}

async function allArchived(instance: InstanceProcess): Promise<void> {
  await expect
    .poll(() => metricOf(instance, "hostledger_documents_waiting"), { timeout: 60_000, interval: 200 })
    .toBe(0);
}

async function invoiceOf({ staff }: InstanceProcess, { accountId }: Customer): Promise<string> {
  const { invoices } = await staff.accounts.listAllInvoices({ accountId: BigInt(accountId) });
  return invoices.find(({ invoice }) => invoice?.action === "purchase")?.invoice?.number ?? "";
}

async function expectErased(instance: InstanceProcess, customer: Customer, number: string): Promise<void> {
  const { staff, adminUrl, baseUrl, child } = instance;
  const accountId = BigInt(customer.accountId);
  expect((await staff.accounts.showAccount({ accountId })).name).toBe("[erased]");
  const shown = (await staff.accounts.showInvoice({ invoice: number })).document;
  expect(JSON.stringify(shown?.buyer)).not.toContain("Quastenberg");
  expect((await customerAt(baseUrl, customer).get("/billing/invoices")).status).toBe(401);
  for (const role of ["support", "operator", "finance"]) {
    const { token } = await staff.members.addStaffMember({ name: `${role}-${String(child.pid)}`, role });
    for (const format of ["xml", "pdf"]) {
      const line = ["admin", "invoice", "fetch", number, "--format", format, "--admin-url", adminUrl];
      const { code, stdout } = await hostledgerInProcess({ HOSTLEDGER_ADMIN_TOKEN: token }, ...line);
      expect([role, format, code]).toEqual([role, format, role === "finance" ? 0 : 1]);
      if (role === "finance" && format === "xml")
        for (const text of [person.organisation, person.street, person.vat_id])
          expect(stdout).toContain(text);
    }
  }
}
