import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { anyNumber, anyText, anyTimestamp, objectOf, textMatching } from "../support/matchers.ts";
import { restClient } from "../support/rest-client.ts";
import { openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** Specification §4.2, §4.3, §5 and the contract's reading endpoints. */

let instance: Instance;
let owner: Customer;
let stranger: Customer;
const ids: number[] = [];

beforeAll(async () => {
  instance = await startInstance();
  await sell(instance.staff, "com");
  await sell(instance.staff, "de", 1_999n);
  owner = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n });
  stranger = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n, vatExempt: true });
  for (const domain of ["first.com", "second.com", "third.com"]) {
    const { body } = await owner.post("/domains", { domain });
    ids.push(Number(objectOf(objectOf(body).domain).id));
  }
});

afterAll(() => instance.close());

describe("GET /domains", () => {
  it("answers the caller's own domains, oldest first, without dns_records", async () => {
    const { status, body } = await owner.get("/domains");
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { domain_name: "first.com" },
      { domain_name: "second.com" },
      { domain_name: "third.com" },
    ]);
    expect(JSON.stringify(body)).not.toContain('"dns_records":');
    expect((await stranger.get("/domains")).body).toEqual([]);
  });
});

describe("GET /domains/{domain}", () => {
  it("answers one domain at the top level, with dns_records", async () => {
    const { status, body } = await owner.get(`/domains/${String(ids[1])}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: ids[1],
      domain_name: "second.com",
      dns_records: [{ name: "@" }, { name: "www" }],
    });
  });

  it("403 with the unauthorized sentence for another account's", async () => {
    expect(await stranger.get(`/domains/${String(ids[0])}`)).toMatchObject({
      status: 403,
      body: { status: false, error: "This action is unauthorized.", code: "unauthorized" },
    });
  });

  it.each(["999999", "0", "-1", "1.5", "1e3", "abc", "9223372036854775808", "1%20", "%00"])(
    "404 for %s",
    async (id) => {
      expect(await owner.get(`/domains/${id}`)).toMatchObject({ status: 404, body: { status: false } });
    },
  );
});

describe("GET /domains/search", () => {
  it("answers availability, prices and the exact quote of the caller", async () => {
    expect(await owner.get("/domains/search?domain=Fourth.de&years=3")).toMatchObject({
      status: 200,
      body: {
        status: true,
        domain: "fourth.de",
        available: true,
        tld: "de",
        currency: "EUR",
        pricing: { registration_price: 19.99, renewal_price: 12, transfer_price: 10 },
        quote: { years: 3, net: 59.97, vat: 11.39, gross: 71.36 },
      },
    });
    expect((await stranger.get("/domains/search?domain=fourth.de")).body).toMatchObject({
      quote: { years: 1, net: 19.99, vat: 0, gross: 19.99 },
    });
  });

  it("says what is not available: registered here, or taken elsewhere", async () => {
    expect((await owner.get("/domains/search?domain=first.com")).body).toMatchObject({ available: false });
    expect((await owner.get("/domains/search?domain=taken.com")).body).toMatchObject({ available: false });
  });

  it.each([
    "",
    "?domain=",
    "?domain=a.b.com",
    "?domain=x.com&years=0",
    "?domain=x.com&years=11",
    "?domain=x.com&years=two",
    "?domain=example.dev",
  ])("422 for %j", async (query) => {
    expect(await owner.get(`/domains/search${query}`)).toMatchObject({
      status: 422,
      body: { status: false },
    });
  });
});

describe("GET /domains/pricing", () => {
  it("answers the active extensions by name", async () => {
    await instance.staff.domains.setPrice({
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
      searchable: true,
    };
    expect((await owner.get("/domains/pricing")).body).toEqual([
      { tld: "com", registration_price: 10, ...price },
      { tld: "de", registration_price: 19.99, ...price },
    ]);
  });
});

describe("GET /billing", () => {
  it("balance: a decimal string", async () => {
    expect((await owner.get("/billing/balance")).body).toEqual({ balance: "64.30" });
  });

  it("invoices: oldest first, in the contract's shape", async () => {
    const { body } = await owner.get("/billing/invoices");
    expect(body).toHaveLength(4);
    expect(Array.isArray(body) ? body[1] : undefined).toEqual({
      id: anyNumber,
      number: textMatching(/^\d{4}-\d+-000001$/),
      action: "purchase",
      gateway: "balance",
      netto: 10,
      brutto: 11.9,
      duration: 1,
      paid: true,
      delivered: true,
      server_id: null,
      domain_id: ids[0],
      plan_id: null,
      created_at: anyTimestamp,
    });
  });
});

describe("authentication", () => {
  it("accepts the key alone and as a bearer token", async () => {
    const anyone = restClient(instance.baseUrl);
    for (const authorization of [owner.apiKey, `Bearer ${owner.apiKey}`]) {
      expect(await anyone.send("/domains", { headers: { authorization } })).toMatchObject({ status: 200 });
    }
  });

  it("401 with WWW-Authenticate for a missing, malformed or unknown key", async () => {
    for (const key of [undefined, "x", owner.apiKey.slice(0, -1), `hlk_${"A".repeat(32)}00000000`]) {
      const answer = await restClient(instance.baseUrl, key).get("/domains");
      expect(answer).toMatchObject({ status: 401, body: { status: false, code: "unauthenticated" } });
      expect(answer.headers.get("www-authenticate")).not.toBeNull();
    }
  });

  it("401 from the moment a key is revoked", async () => {
    const client = await openCustomer(instance.staff, instance.baseUrl);
    const { keys } = await instance.staff.accounts.listApiKeys({ accountId: BigInt(client.accountId) });
    expect(await client.get("/domains")).toMatchObject({ status: 200 });
    await instance.staff.accounts.revokeApiKey({ keyId: keys[0]?.keyId ?? 0n });
    expect(await client.get("/domains")).toMatchObject({ status: 401 });
  });
});
