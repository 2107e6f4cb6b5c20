import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { anyNumber, anyText, itemsOf, objectOf } from "../support/matchers.ts";
import { balanceOf, openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";
import { openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** The contract's endpoints for domains: search, prices, renewal, settings, the auth code. */

let shop: Shop;
let exempt: Customer;

beforeAll(async () => {
  shop = await openShop({ clock: virtualClock(), environment: { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" } });
  await sell(shop.instance.staff, "de", 1_999n);
  exempt = await openCustomer(shop.instance.staff, shop.instance.baseUrl, { vatExempt: true });
  await registerName(shop.owner, "first.com");
});

afterAll(() => shop.close());

describe("a domain's name in requests", () => {
  const id = async (): Promise<number> =>
    itemsOf((await shop.owner.get("/domains?name=first.com")).body).map((item) =>
      Number(objectOf(item).id),
    )[0] ?? 0;

  it("filters the list, which then has at most one item", async () => {
    const { status, body } = await shop.owner.get("/domains?name=First.COM.");
    expect([status, itemsOf(body)]).toMatchObject([200, [{ domain_name: "first.com" }]]);
    for (const other of ["nobodys.com", "a.first.com", "first", "", "1", "x".repeat(5_000)])
      expect(await shop.owner.get(`/domains?name=${other}`)).toMatchObject({ status: 200, body: [] });
    expect((await exempt.get("/domains?name=first.com")).body).toEqual([]);
  });

  it("is accepted in place of the domain's id", async () => {
    const byId = await shop.owner.get(`/domains/${String(await id())}`);
    for (const name of ["first.com", "FIRST.com", "first.com."])
      expect(await shop.owner.get(`/domains/${name}`)).toMatchObject({ status: 200, body: byId.body });
    const record = { type: "TXT", name: "named", value: "by name" };
    expect(await shop.owner.post("/domains/first.com/dns", record)).toMatchObject({ status: 201 });
    expect(await shop.owner.put("/domains/first.com/settings", { auto_renew: false })).toMatchObject({
      status: 200,
    });
    expect(await shop.owner.get("/domains/first.com/auth-code")).toMatchObject({ status: 200 });
  });

  it("answers 403 for another account's domain, and 404 for an unknown or invalid name", async () => {
    expect(await exempt.get("/domains/first.com")).toMatchObject(unauthorized);
    for (const nobodys of ["nobodys.com", "a.first.com", "first", "first..com", "-x.com", "1.5", "%00.com"])
      expect(await shop.owner.get(`/domains/${nobodys}`)).toMatchObject({ status: 404 });
  });
});

describe("GET /domains/search", () => {
  it("answers availability, prices and the caller's exact quote", async () => {
    expect(await shop.owner.get("/domains/search?domain=Fourth.de&years=3")).toMatchObject({
      status: 200,
      body: {
        status: true,
        domain: "fourth.de",
        available: true,
        tld: "de",
        currency: "EUR",
        pricing: { registration_price: 19.99, renewal_price: 12, transfer_price: 10, restore_price: null },
        quote: { years: 3, net: 59.97, vat: 11.39, gross: 71.36 },
      },
    });
    expect((await exempt.get("/domains/search?domain=fourth.de")).body).toMatchObject({
      quote: { years: 1, net: 19.99, vat: 0, gross: 19.99 },
    });
  });

  it("reports unavailable names: registered here, or registered elsewhere", async () => {
    expect((await shop.owner.get("/domains/search?domain=first.com")).body).toMatchObject({
      available: false,
    });
    expect((await shop.owner.get("/domains/search?domain=taken.com")).body).toMatchObject({
      available: false,
    });
  });

  it.each([
    "",
    "?domain=",
    "?domain=a.b.com",
    "?domain=x.com&years=0",
    "?domain=x.com&years=11",
    "?domain=x.com&years=two",
    "?domain=example.dev",
  ])("answers 422 for %j", async (query) => {
    expect(await shop.owner.get(`/domains/search${query}`)).toMatchObject({
      status: 422,
      body: { status: false },
    });
  });
});

describe("GET /domains/pricing", () => {
  it("answers the active extensions by name", async () => {
    await shop.instance.staff.domains.setPrice({
      tld: "net",
      registrationCents: 1n,
      renewalCents: 1n,
      transferCents: 1n,
      active: false,
    });
    const price = {
      description: anyText,
      currency: "EUR",
      renewal_price: 12,
      transfer_price: 10,
      restore_price: null,
      searchable: true,
    };
    expect((await shop.owner.get("/domains/pricing")).body).toEqual([
      { tld: "com", registration_price: 10, ...price },
      { tld: "de", registration_price: 19.99, ...price },
    ]);
  });
});

describe("POST /domains/{domain}/renew", () => {
  const path = (id: number): string => `/domains/${String(id)}/renew`;

  it("charges the renewal price and VAT, and adds the years to the old expiry date", async () => {
    const client = await shop.customer(10_000n);
    const id = await registerName(client, "renew.com");
    const before = objectOf((await client.get(`/domains/${String(id)}`)).body);
    const answer = await client.post(path(id), { years: 2 });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: true,
        message: anyText,
        invoice_id: anyNumber,
        amount_charged: 28.56,
        years: 2,
        domain: { id },
      },
    });
    const old = String(before.expiry_date);
    const expected = `${String(Number(old.slice(0, 4)) + 2)}${old.slice(4)}`;
    expect(objectOf(objectOf(answer.body).domain).expiry_date).toBe(expected);
    expect(await balanceOf(client)).toBe("59.54");
    expect(itemsOf((await client.get("/billing/invoices")).body).at(-1)).toMatchObject({
      action: "renewal",
      netto: 24,
      brutto: 28.56,
      duration: 2,
      domain_id: id,
      delivered: true,
    });
    const { registrar } = await shop.instance.staff.domains.showSandbox({});
    expect(registrar.find(({ name }) => name === "renew.com")?.expiresAt).toBe(expected);
  });

  it("answers 400 if the balance does not cover the price, and changes nothing", async () => {
    const client = await shop.customer(1_190n + 1_427n);
    const id = await registerName(client, "poor.com");
    const before = (await client.get(`/domains/${String(id)}`)).body;
    expect(await client.post(path(id), {})).toMatchObject({
      status: 400,
      body: { status: false, code: "insufficient_balance", required: 14.28, available: 14.27 },
    });
    expect((await client.get(`/domains/${String(id)}`)).body).toEqual(before);
  });

  it.each([0, 11, 1.5, "1"])("answers 422 for years %j", async (years) => {
    const id = await registerName(shop.owner, `years-${String(years)}-x.com`.replace("1.5", "1-5"));
    expect(await shop.owner.post(path(id), { years })).toMatchObject({
      status: 422,
      body: { errors: { years: [anyText] } },
    });
  });

  it("answers 200 if only the registrar's answer is lost: renewed and paid once", async () => {
    const client = await shop.customer(10_000n);
    const id = await registerName(client, "lost-renewal.com");
    expect(await client.post(path(id), {})).toMatchObject({ status: 200, body: { amount_charged: 14.28 } });
    expect(await balanceOf(client)).toBe("73.82");
  });

  it("answers 403 for another account's domain and 404 for an unknown domain", async () => {
    const id = await registerName(shop.owner, "not-yours.com");
    expect(await shop.stranger.post(path(id), {})).toMatchObject(unauthorized);
    expect(await shop.owner.post(path(999_999), {})).toMatchObject({ status: 404 });
  });
});

describe("PUT /domains/{domain}/settings", () => {
  const path = (id: number): string => `/domains/${String(id)}/settings`;

  it("changes the given settings and leaves the others", async () => {
    const id = await registerName(shop.owner, "settings.com");
    expect(await shop.owner.put(path(id), { auto_renew: true, lock_status: false })).toMatchObject({
      status: 200,
      body: {
        status: true,
        message: anyText,
        domain: { auto_renew: true, whois_privacy: true, lock_status: false },
      },
    });
    expect(await shop.owner.put(path(id), { whois_privacy: false })).toMatchObject({
      body: { domain: { auto_renew: true, whois_privacy: false, lock_status: false } },
    });
    expect(await shop.owner.put(path(id), {})).toMatchObject({ status: 200 });
    expect((await shop.owner.get(`/domains/${String(id)}`)).body).toMatchObject({
      auto_renew: true,
      whois_privacy: false,
      lock_status: false,
    });
  });

  it.each(["auto_renew", "whois_privacy", "lock_status"])(
    "answers 422 for %s that is no boolean",
    async (field) => {
      const id = await registerName(shop.owner, `flag-${field.replace("_", "-")}.com`);
      for (const value of ["true", 1]) {
        expect(await shop.owner.put(path(id), { [field]: value })).toMatchObject({
          status: 422,
          body: { errors: { [field]: [anyText] } },
        });
      }
    },
  );

  it("answers 403 for another account's domain and 404 for an unknown domain", async () => {
    const id = await registerName(shop.owner, "settings-mine.com");
    expect(await shop.stranger.put(path(id), { auto_renew: true })).toMatchObject(unauthorized);
    expect(await shop.owner.put(path(999_999), { auto_renew: true })).toMatchObject({ status: 404 });
    expect((await shop.owner.get(`/domains/${String(id)}`)).body).toMatchObject({ auto_renew: false });
  });
});

describe("DELETE /domains/{domain}", () => {
  it("ends the domain with its term and shows the date; turning automatic renewal on reverts that", async () => {
    const id = await registerName(shop.owner, "cancelled.com");
    const path = `/domains/${String(id)}`;
    await shop.owner.put(`${path}/settings`, { auto_renew: true });
    expect((await shop.owner.get(path)).body).toMatchObject({ renew_begins_at: anyText });
    for (const at of [path, "/domains/cancelled.com"])
      expect(await shop.owner.delete(at)).toMatchObject({
        status: 202,
        body: {
          status: true,
          message: expect.stringMatching(/expires on .* until .* deleted on/),
          domain: { id, status: "active", auto_renew: false, renew_begins_at: null, deletes_at: anyText },
        },
      });
    expect(await shop.owner.put(`${path}/settings`, { auto_renew: true })).toMatchObject({ status: 200 });
  });

  it("answers 409 during a transfer to another registrar, 403 for another account's domain, 404 for an unknown one", async () => {
    const id = await registerName(shop.owner, "departing.com");
    const path = `/domains/${String(id)}`;
    expect(await shop.stranger.delete(path)).toMatchObject(unauthorized);
    expect(await shop.owner.delete("/domains/999999")).toMatchObject({ status: 404 });
    await shop.instance.staff.domains.setDomainTransfer({ domainId: BigInt(id), transferring: true });
    expect(await shop.owner.delete(path)).toMatchObject({ status: 409, body: { code: "domain_not_active" } });
    expect(await shop.owner.put(`${path}/settings`, { auto_renew: true })).toMatchObject({
      status: 409,
      body: { code: "domain_not_renewable" },
    });
  });
});

describe("GET /domains/{domain}/auth-code", () => {
  it("answers the code to the owner only", async () => {
    const id = await registerName(shop.owner, "leaving.com");
    const path = `/domains/${String(id)}/auth-code`;
    expect(await shop.owner.get(path)).toMatchObject({
      status: 200,
      body: { status: true, auth_code: anyText },
    });
    expect(await shop.stranger.get(path)).toMatchObject(unauthorized);
    expect(await shop.owner.get("/domains/999999/auth-code")).toMatchObject({ status: 404 });
  });
});

describe("changes by staff", () => {
  it("suspends and unsuspends a domain", async () => {
    const id = await registerName(shop.owner, "staff.com");
    const read = async (): Promise<unknown> =>
      objectOf((await shop.owner.get(`/domains/${String(id)}`)).body).status;
    await shop.instance.staff.domains.setDomainSuspension({ domainId: BigInt(id), suspended: true });
    expect(await read()).toBe("suspended");
    await shop.instance.staff.domains.setDomainSuspension({ domainId: BigInt(id), suspended: false });
    expect(await read()).toBe("active");
    await shop.instance.staff.domains.setDomainTransfer({ domainId: BigInt(id), transferring: true });
    expect(await read()).toBe("transferring");
  });
});
