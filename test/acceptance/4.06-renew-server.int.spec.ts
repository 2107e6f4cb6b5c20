import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyNumber, anyText, anyTimestamp, itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, unauthorized, type Shop } from "../support/shop.ts";

/** Specification §4.6, `POST /servers/{server}/renew`. The plan costs 9.99 EUR a month, VAT included. */

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(() => shop.close());

const path = (id: number): string => `/servers/${String(id)}/renew`;

describe("POST /servers/{server}/renew", () => {
  it("charges the balance, issues an invoice and moves the expiry date", async () => {
    const client = await shop.customer(10_000n);
    const id = await shop.provision({ of: client });
    const before = objectOf((await client.get(`/servers/${String(id)}`)).body);
    const answer = await client.post(path(id), { duration: 1 });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: true,
        message: anyText,
        invoice_id: anyNumber,
        amount_charged: 9.99,
        new_expiry_date: anyTimestamp,
        server: { id, ip_address: before.ip_address, expiry_date: anyTimestamp, suspended: false },
      },
    });
    const { new_expiry_date: expiry, server, invoice_id: invoiceId } = objectOf(answer.body);
    expect(objectOf(server).expiry_date).toBe(expiry);
    expect(Date.parse(String(expiry))).toBeGreaterThan(Date.parse(String(before.expiry_date)));
    expect(await balanceOf(client)).toBe("90.01");
    expect(itemsOf((await client.get("/billing/invoices")).body).at(-1)).toMatchObject({
      id: invoiceId,
      action: "renewal",
      // Plan prices are gross: 9.99 contains 1.60 of VAT.
      netto: 8.39,
      brutto: 9.99,
      duration: 1,
      server_id: id,
      plan_id: shop.planId,
      domain_id: null,
      delivered: true,
    });
  });

  it.each([
    [1, 9.99],
    [2, 19.98],
    [3, 28.47],
    [6, 53.95],
    [11, 109.89],
    [12, 101.9],
  ])("%d months cost %d EUR: 5, 10 and 15 %% off at 3, 6 and 12 months only", async (duration, amount) => {
    const id = await shop.provision();
    expect(await shop.owner.post(path(id), { duration })).toMatchObject({
      status: 200,
      body: { amount_charged: amount },
    });
  });

  it.each([
    [1, 10.99],
    [3, 31.32],
    [12, 112.09],
  ])(
    "charges 10 %% more for a suspended server, after the discount, and makes the server active again",
    async (duration, amount) => {
      const id = await shop.provision();
      await shop.instance.staff.servers.setServerSuspension({ serverId: BigInt(id), suspended: true });
      expect(await shop.owner.get(`/servers/${String(id)}`)).toMatchObject({ body: { suspended: true } });
      expect(await shop.owner.post(path(id), { duration })).toMatchObject({
        status: 200,
        body: { amount_charged: amount, server: { suspended: false } },
      });
      expect(await shop.owner.get(`/servers/${String(id)}`)).toMatchObject({
        body: { suspended: false, status: "active" },
      });
    },
  );

  it("renews for one month if the request has no duration", async () => {
    const id = await shop.provision();
    expect(await shop.owner.post(path(id), {})).toMatchObject({ body: { amount_charged: 9.99 } });
  });

  it("shows no VAT on the invoice of an exempt account, which pays the same gross price", async () => {
    const client = await shop.customer(10_000n);
    const accountId = BigInt(client.accountId);
    await shop.instance.staff.accounts.setVatExemption({ accountId, vatExempt: true });
    const id = await shop.provision({ of: client });
    expect(await client.post(path(id), {})).toMatchObject({ body: { amount_charged: 9.99 } });
    expect(itemsOf((await client.get("/billing/invoices")).body).at(-1)).toMatchObject({
      netto: 9.99,
      brutto: 9.99,
    });
  });

  it("answers 400 like a registration if the balance does not cover the price, and changes nothing", async () => {
    const client = await shop.customer(998n);
    const id = await shop.provision({ of: client });
    const before = (await client.get(`/servers/${String(id)}`)).body;
    expect(await client.post(path(id), { duration: 1 })).toMatchObject({
      status: 400,
      body: {
        status: false,
        error: anyText,
        code: "insufficient_balance",
        required: 9.99,
        available: 9.98,
      },
    });
    expect((await client.get(`/servers/${String(id)}`)).body).toEqual(before);
    expect(await balanceOf(client)).toBe("9.98");
  });

  it.each([[0], [13], [-1], [1.5], ["1"], [[]]])("answers 422 for duration %j", async (duration) => {
    const id = await shop.provision();
    expect(await shop.owner.post(path(id), { duration })).toMatchObject({
      status: 422,
      body: { errors: { duration: [anyText] } },
    });
  });

  it("answers 403 with the unauthorized sentence for another account's server, and 404 for an unknown server", async () => {
    const id = await shop.provision();
    const before = await balanceOf(shop.stranger);
    expect(await shop.stranger.post(path(id), {})).toMatchObject(unauthorized);
    expect(await shop.owner.post(path(999_999), {})).toMatchObject({ status: 404 });
    expect(await balanceOf(shop.stranger)).toBe(before);
  });
});
