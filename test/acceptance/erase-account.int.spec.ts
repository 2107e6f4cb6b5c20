import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { directoryOfTest, eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandInProcess, textInProcess } from "../support/command-in-process.ts";
import { objectOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** `hostledger admin account erase`, and its RPC, check first what the account still has. */

const clock = virtualClock();
let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ clock });
});
afterAll(() => shop.close());

const admin = (...line: readonly string[]) => textInProcess(shop.instance, clock, "admin", ...line);
const erase = ({ accountId }: Customer, ...flags: readonly string[]) =>
  admin("account", "erase", String(accountId), "--yes", ...flags);
const erasedAt = async ({ accountId }: Customer) =>
  (await shop.instance.staff.accounts.showAccount({ accountId: BigInt(accountId) })).erasedAt;

it("admin account erase refuses an account with a balance, domains or servers, and lists them", async () => {
  const customer = await shop.customer(10_000n);
  await registerName(customer, "left-1.com");
  await registerName(customer, "left-2.com");
  const serverId = await shop.provision({ of: customer });
  const refusal =
    `Account ${String(customer.accountId)} is not empty. It has a balance of 76.20 EUR; domains left-1.com, left-2.com; ` +
    `server ${String(serverId)}. Settle what is left, or erase all the same with --force.\n`;
  expect(await erase(customer)).toEqual({ code: 1, stdout: "", stderr: refusal });
  const unconfirmed = await admin("account", "erase", String(customer.accountId));
  expect(unconfirmed).toEqual({ code: 1, stdout: "", stderr: refusal });
  const { accounts } = shop.instance.staff;
  const accountId = BigInt(customer.accountId);
  await expect(accounts.eraseAccount({ accountId })).rejects.toThrow("is not empty");
  expect(await erasedAt(customer)).toBeUndefined();

  // The export is written although the erasure is refused.
  const directory = join(directoryOfTest(), "documents");
  const exported = await erase(customer, "--export", directory);
  expect(exported).toMatchObject({ code: 1, stdout: "" });
  expect(exported.stderr).toContain(`3 documents are in ${directory}.\n`);
  expect(await erasedAt(customer)).toBeUndefined();
  // Two invoices as PDF and XML, and the receipt of the payment.
  expect(readdirSync(directory)).toHaveLength(5);
  for (const file of readdirSync(directory)) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);

  // Staff decide.
  expect(await admin("account", "erase", String(customer.accountId), "--force")).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(await erasedAt(customer)).toEqual(expect.any(String));
});

it("admin account erase refuses an account with a debt or an order in progress", async () => {
  const debtor = await shop.customer();
  const { accounts } = shop.instance.staff;
  const requested = { amountCents: -500n, reference: "debt-1", reason: "Chargeback", allowDebt: true };
  await accounts.adjustBalance({ accountId: BigInt(debtor.accountId), ...requested });
  expect((await erase(debtor)).stderr).toContain("It has a debt of 5.00 EUR. Settle");
  const buyer = await shop.customer(10_000n);
  const order = buyer.post("/domains", { domain: "slow-erasure.com" });
  await eventually(clock, async () => {
    expect((await erase(buyer)).stderr).toContain("domain slow-erasure.com");
  });
  await order;
});

it("admin account erase needs no export, because it archives the documents first, which finance then opens", async () => {
  const customer = await shop.customer(1_190n);
  const number = await emptied(customer);
  expect(await erase(customer)).toMatchObject({ code: 0, stderr: "" });
  const fetched = await shop.instance.staff.documents.fetchInvoice({ invoice: number, format: "pdf" });
  expect(Buffer.from(fetched.content.subarray(0, 5)).toString()).toBe("%PDF-");
});

it("admin account erase erases an empty account after its documents were written, and the exported documents name the customer", async () => {
  const customer = await shop.customer(1_190n);
  const profile = { kind: "person", name: "Wilma Test", street: "Main Road 1", postal_code: "10115" };
  await customer.put("/account", { ...profile, city: "Berlin", country: "DE" });
  await emptied(customer);
  const directory = directoryOfTest();
  const { code, document } = await commandInProcess(
    shop.instance,
    clock,
    "admin",
    "account",
    "erase",
    String(customer.accountId),
    "--yes",
    "--export",
    directory,
  );
  expect({ code, document }).toMatchObject({
    code: 0,
    document: { account_id: customer.accountId, key_destroyed: true, documents_exported: 1 },
  });
  const [file = ""] = readdirSync(directory);
  const before = readFileSync(join(directory, file));
  expect(before.subarray(0, 5).toString()).toBe("%PDF-");
  // A repetition does nothing, and leaves the files unchanged.
  const again = await erase(customer, "--export", directory);
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(join(directory, file)).equals(before)).toBe(true);
});

it("admin account erase reports a directory that cannot be created before it erases anything", async () => {
  const customer = await shop.customer();
  const { code, stderr } = await erase(customer, "--export", join("/proc", "hostledger-none"));
  expect([code, stderr]).toEqual([1, expect.stringContaining("could not be made")]);
  expect(await erasedAt(customer)).toBeUndefined();
  // An account that never had anything is erased at once.
  expect(await erase(customer)).toMatchObject({ code: 0 });
  expect(
    objectOf(
      (await commandInProcess(shop.instance, clock, "admin", "account", "show", String(customer.accountId)))
        .document,
    ).name,
  ).toBe("[erased]");
});

/** Pays a balance of 11.90 EUR back. @returns the number of the receipt */
async function emptied({ accountId: id }: Customer): Promise<string> {
  const accountId = BigInt(id);
  const { accounts } = shop.instance.staff;
  const back = { amountCents: -1_190n, reference: `back-${String(id)}`, reason: "Paid back" };
  await accounts.adjustBalance({ accountId, ...back });
  const { invoices } = await accounts.listAllInvoices({ accountId });
  return invoices[0]?.invoice?.number ?? "";
}
