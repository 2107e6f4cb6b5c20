import { openMailServer, startReceiver, type MailServer } from "@hostledger/support-service/testing";
import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf, type JsonObject } from "../support/matchers.ts";
import { balanceOf, openShop, registerName, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/**
 * Accounts in debt get reminders in stages, without a fee; then their servers are suspended at the end of their paid
 * time. A payment ends the reminders. It does not lift a suspension; a renewal, which the payment makes possible, or
 * staff do.
 */

const clock = virtualClock();
const dayMs = 86_400_000;
let mails: MailServer;
let shop: Shop;

beforeAll(async () => {
  mails = await openMailServer();
  shop = await openShop({
    clock,
    environment: {
      HOSTLEDGER_DEBT_REMINDER_DAYS: "2,7,40,50",
      HOSTLEDGER_SMTP_URL: mails.url,
      HOSTLEDGER_MAIL_FROM: "hosting@example.com",
      HOSTLEDGER_WEBHOOK_ALLOW: "127.0.0.0/8",
    },
  });
});
afterAll(async () => {
  await shop.close();
  await mails.stop();
});

/** Things happen by themselves within some minutes. */
const soon = <Result>(look: () => Result | Promise<Result>) =>
  eventually(clock, look, { limitMs: 3_600_000, everyMs: 1_000 });

const hostledger = async (...line: readonly string[]): Promise<JsonObject> => {
  const { code, document, stderr } = await commandInProcess(shop.instance, clock, ...line);
  expect(code, stderr).toBe(0);
  return objectOf(document);
};
const shown = ({ accountId }: Customer) => hostledger("admin", "account", "show", String(accountId));

/** Staff take 11.90 EUR that the account does not have. */
const debit = ({ accountId }: Customer) => {
  const id = String(accountId);
  const because = ["--reference", `damage-${id}`, "--reason", "Damage", "--allow-debt"];
  return hostledger("admin", "account", "debit", id, "--amount", "11.90", ...because);
};

let customers = 0;

/** Creates a customer without money who has a server for a month and receives all notices. */
async function debtor(settings: object = {}) {
  const customer = await shop.customer(0n);
  customers += 1;
  const email = `debtor-${String(customers)}@example.org`;
  await customer.put("/account", { email });
  const { url, received } = await startReceiver();
  const events = ["balance.in_debt", "server.suspended", "server.renewal_failed"];
  expect(await customer.post("/webhooks", { url, events })).toMatchObject({ status: 201 });
  const path = `/servers/${String(await shop.provision({ of: customer }))}`;
  await customer.put(`${path}/settings`, settings);
  const notices = () => received.map(({ body }) => objectOf(JSON.parse(body)));
  const subjects = () =>
    mails.taken.filter(({ to }) => to.includes(email)).map(({ mail }) => mail.subject ?? "");
  return {
    customer,
    path,
    notices,
    server: async () => objectOf((await customer.get(path)).body),
    invoices: async () => itemsOf((await customer.get("/billing/invoices")).body),
    /** Days of debt of the reminders so far, at the webhook; there are as many in the mail. */
    async reminded(): Promise<readonly unknown[]> {
      const reminders = notices().filter(({ type }) => type === "balance.in_debt");
      await soon(() => {
        const inMail = subjects().filter((subject) => subject.startsWith("Reminder: your balance is"));
        expect(inMail).toHaveLength(reminders.length);
      });
      return reminders.map(({ data }) => objectOf(data).debt_days);
    },
    /** Pays by card, and waits until the payment is on the balance. */
    async pays(amount: number, balance: string): Promise<void> {
      expect(await customer.post("/billing/topups", { amount, method: "card" })).toMatchObject({
        status: 201,
      });
      await eventually(clock, async () => {
        expect(await balanceOf(customer)).toBe(balance);
      });
    },
  };
}

const suspended = { status: "suspended", suspended: true };
const active = { status: "active", suspended: false };

describe("an account that a chargeback left in debt", () => {
  it("is reminded at the configured days, its server is suspended, and a payment makes the renewal possible", async () => {
    const { customer, path, notices, pays, reminded, server, invoices } = await debtor({ auto_renew: true });
    // The sandbox takes this payment back after some seconds. The customer has spent a part of it by then.
    await pays(50.07, "50.07");
    await registerName(customer, "charged-back.com");
    await soon(async () => {
      expect(await balanceOf(customer)).toBe("-11.90");
    });
    const { debt_since: debtSince, ...account } = await shown(customer);
    expect(account).toMatchObject({ balance: "-11.90", in_debt: true, debt_reminders: 0 });
    const documents = await invoices();

    clock.advance(2 * dayMs);
    await soon(async () => {
      expect(await reminded()).toEqual([2]);
    });
    clock.advance(5 * dayMs);
    await soon(async () => {
      expect(await reminded()).toEqual([2, 7]);
    });
    const reminders = notices().filter(({ type }) => type === "balance.in_debt");
    expect(reminders.map(({ data }) => data)).toEqual([
      { balance: -11.9, debt_since: debtSince, debt_days: 2, reminder: 1 },
      { balance: -11.9, debt_since: debtSince, debt_days: 7, reminder: 2 },
    ]);
    // No fee: neither the balance nor the documents have changed.
    expect(await invoices()).toEqual(documents);
    expect(await shown(customer)).toMatchObject({ balance: "-11.90", debt_reminders: 2 });

    expect(await customer.post(`${path}/renew`, {})).toMatchObject({
      status: 400,
      body: { code: "insufficient_balance", available: -11.9 },
    });
    expect(await server()).toMatchObject(active);
    clock.advance(25 * dayMs);
    await soon(async () => {
      expect(await server()).toMatchObject(suspended);
    });
    await soon(() => {
      expect(notices()).toContainEqual(
        expect.objectContaining({
          type: "server.suspended",
          data: expect.objectContaining({ reason: "expired", held: false }),
        }),
      );
    });

    await pays(40, "28.10");
    expect(await shown(customer)).toMatchObject({ in_debt: false, debt_since: null });
    // Suspended servers are not renewed by themselves, so the customer is not charged unasked.
    clock.advance(dayMs / 2);
    await soon(async () => {
      expect(await server()).toMatchObject({ ...suspended, auto_renew: true });
    });
    expect(await balanceOf(customer)).toBe("28.10");
    expect(await customer.post(`${path}/renew`, {})).toMatchObject({
      status: 200,
      body: { amount_charged: 10.99, server: { suspended: false } },
    });
    expect(await server()).toMatchObject(active);
    clock.advance(10 * dayMs);
    await clock.sleep(60_000);
    expect(await reminded()).toEqual([2, 7]);
  });
});

describe("an account that a debit by staff left in debt", () => {
  it("and that pays before the end of the paid time has its server renewed automatically, and never suspended", async () => {
    const { customer, notices, reminded, server } = await debtor({ auto_renew: true });
    await debit(customer);
    const { expiry_date: before } = await server();
    clock.advance(28 * dayMs);
    await soon(() => {
      expect(notices()).toContainEqual(expect.objectContaining({ type: "server.renewal_failed" }));
    });
    // Reminders that were missed are not sent later, except the last.
    await soon(async () => {
      expect(await reminded()).toEqual([7]);
    });
    // 40.00 less the debt, and less a month at 9.99 without a surcharge.
    await customer.post("/billing/topups", { amount: 40, method: "card" });
    await soon(async () => {
      expect(await balanceOf(customer)).toBe("18.11");
    });
    const renewed = await server();
    expect(renewed).toMatchObject(active);
    expect(String(renewed.expiry_date) > String(before)).toBe(true);
    clock.advance(20 * dayMs);
    await clock.sleep(60_000);
    expect(await reminded()).toEqual([7]);
    expect(notices().map(({ type }) => type)).not.toContain("server.suspended");
  });

  it("and whose server staff suspended for non-payment pays; then a renewal or staff lift the suspension", async () => {
    const [one, other] = [await debtor(), await debtor()];
    for (const { customer, path } of [one, other]) {
      await debit(customer);
      await hostledger("admin", "server", "suspend", path.slice("/servers/".length));
    }
    for (const { customer, path, pays, server } of [one, other]) {
      expect(await customer.post(`${path}/renew`, {})).toMatchObject({ status: 400 });
      await pays(40, "28.10");
      expect(await server()).toMatchObject({ ...suspended, held: false });
    }
    expect(await one.customer.post(`${one.path}/renew`, {})).toMatchObject({
      status: 200,
      body: { amount_charged: 10.99 },
    });
    await hostledger("admin", "server", "unsuspend", other.path.slice("/servers/".length));
    for (const { server } of [one, other]) expect(await server()).toMatchObject(active);
    expect([await balanceOf(one.customer), await balanceOf(other.customer)]).toEqual(["17.11", "28.10"]);
    clock.advance(10 * dayMs);
    await clock.sleep(60_000);
    for (const { reminded } of [one, other]) expect(await reminded()).toEqual([]);
  });
});
