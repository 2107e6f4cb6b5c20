import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandInProcess, hostledgerInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** `hostledger admin account show`: a customer at a glance, put together from all services. */

/** A registrar that does not answer costs a minute. */
const clock = virtualClock();
let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ clock });
});
afterAll(() => shop.close());

async function shown(...line: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { code, document, stderr } = await commandInProcess(shop.instance, clock, "admin", ...line);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return objectOf(document);
}

it("admin account show prints the customer's resources and nothing of other customers", async () => {
  const { owner, stranger, instance, planId } = shop;
  const domainId = await registerName(owner, "glance.com");
  await registerName(stranger, "other.com");
  const serverId = await shop.provision();
  await shop.provision({ of: stranger });
  const { accountId } = owner;
  const { ticketId } = await instance.staff.support.openTicketFor({
    accountId: BigInt(accountId),
    title: "Welcome",
    message: "Is all well?",
    priority: "normal",
  });
  const glance = await shown("account", "show", String(accountId));
  expect(glance).toMatchObject({
    account_id: accountId,
    name: "Owner",
    balance: "988.10",
    erased_at: null,
    domains: { total: 1, listed: [{ domain_id: domainId, domain_name: "glance.com", status: "active" }] },
    servers: { total: 1, listed: [{ server_id: serverId, status: "active", plan_id: planId }] },
    runs: { total: 0, listed: [] },
    tickets: { total: 1, listed: [{ ticket_id: Number(ticketId), title: "Welcome" }] },
  });
  const last = itemsOf(objectOf(glance.facts).listed).map(({ type }) => type);
  expect(last.slice(0, 3)).toEqual(["InvoiceIssued", "BalanceCharged", "ApiKeyIssued"]);
});

it("admin account show counts the items that it does not list", async () => {
  const { instance } = shop;
  const customer = await shop.customer();
  const accountId = BigInt(customer.accountId);
  for (let server = 0; server < 12; server += 1) await shop.provision({ of: customer });
  const [first] = (await instance.staff.servers.listAllServers({ accountId })).servers;
  await instance.staff.servers.terminateServer({ serverId: first?.id ?? 0n });
  const { total, listed } = objectOf((await shown("account", "show", String(accountId))).servers);
  expect([total, itemsOf(listed).length]).toEqual([11, 10]);
});

it("admin account show prints a run that waits for a silent registrar", async () => {
  const customer = await shop.customer(10_000n);
  const answer = await customer.post("/domains", { domain: "limbo-glance.com" });
  expect(answer.status).toBe(500);
  expect(await shown("account", "show", String(customer.accountId))).toMatchObject({
    domains: { total: 0 },
    runs: { total: 1, listed: [{ subject: "limbo-glance.com" }] },
  });
  expect(await shown("account", "show", String(shop.stranger.accountId))).toMatchObject({
    runs: { total: 0, listed: [] },
  });
});

it("admin account show is allowed to each role of staff", async () => {
  const { instance, owner } = shop;
  const { adminUrl } = instance;
  for (const role of ["support", "finance", "operator"]) {
    const { token } = await instance.staff.members.addStaffMember({ name: `anna-${role}`, role });
    const line = ["admin", "account", "show", String(owner.accountId), "--admin-url", adminUrl];
    const { code, stdout } = await hostledgerInProcess({ HOSTLEDGER_ADMIN_TOKEN: token }, ...line);
    expect(code, role).toBe(0);
    expect(stdout).toContain("domains: ");
  }
});

it("admin account show refuses an unknown account with a sentence", async () => {
  const line = ["admin", "account", "show", "999999"];
  const { code, stderr } = await commandInProcess(shop.instance, clock, ...line);
  expect(code).toBe(1);
  expect(stderr).toContain("account");
});
