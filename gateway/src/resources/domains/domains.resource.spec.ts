import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import { rejectionError, requireAccount } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { domainMessage, keyOfEight } from "../../testing/fake-services.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";

const domainJson = (id: number, name: string) => ({
  id,
  domain_name: name,
  status: "active",
  provider: "sandbox",
  auto_renew: false,
  whois_privacy: true,
  lock_status: true,
  use_rdp_nameservers: true,
  nameservers: ["ns1.hostledger.example", "ns2.hostledger.example"],
  registration_date: "2026-11-21T01:30:00.000123Z",
  expiry_date: "2027-11-21T01:30:00.000123Z",
  days_until_expiry: 365,
  is_expiring_soon: false,
  dns_records_count: 2,
  created_at: "2026-11-21T01:30:00.000456Z",
  renew_begins_at: null,
  hold_begins_at: "2028-01-05T01:30:00.000123Z",
  deletes_at: "2028-02-09T01:30:00.000123Z",
});

const price = create(domain.PriceSchema, {
  tld: "com",
  registrationCents: 1_000n,
  renewalCents: 1_250n,
  transferCents: 999n,
});

const registered = (warning?: string): domain.RegisterDomainResponse =>
  create(domain.RegisterDomainResponseSchema, {
    invoiceId: 31n,
    amountChargedCents: 1_190n,
    years: 1,
    domain: domainMessage(7n, "example.com"),
    ...defined({ warning }),
  });

describe("POST /domains", () => {
  it("answers 201 with the fields of the specification, in its order", async () => {
    const gateway = await gatewayUnderTest({ domain: { registerDomain: () => registered() } });
    const answer = await gateway.post("/domains", { domain: "example.com" });
    expect(answer.status).toBe(201);
    expect(answer.text).toBe(
      JSON.stringify({
        status: true,
        message: "Domain registered",
        invoice_id: 31,
        amount_charged: 11.9,
        years: 1,
        domain: domainJson(7, "example.com"),
      }),
    );
  });

  it("adds the warning if there is one", async () => {
    const warning = "The nameservers could not be applied.";
    const gateway = await gatewayUnderTest({ domain: { registerDomain: () => registered(warning) } });
    const { json } = await gateway.post("/domains", { domain: "example.com" });
    expect(json).toMatchObject({ warning });
  });

  it("passes on the caller's order unchanged, without unknown fields", async () => {
    const orders: unknown[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        registerDomain({ domain: name, years, autoRenew, nameservers }, context) {
          orders.push([requireAccount(context).accountId, { domain: name, years, autoRenew, nameservers }]);
          return registered();
        },
      },
    });
    await gateway.post("/domains", { domain: "Example.COM" });
    const nameservers = ["NS1.example.net", "ns2.example.net"];
    await gateway.request("/domains", {
      method: "POST",
      headers: { authorization: keyOfEight, "content-type": "application/json; charset=UTF-8" },
      body: `{"domain":"a.de","years":10,"auto_renew":true,"nameservers":${JSON.stringify(nameservers)},
        "__proto__":{"years":3},"constructor":{"prototype":{"admin":true}},"account_id":7,"price":0}`,
    });
    expect(orders).toEqual([
      [7, { domain: "Example.COM", autoRenew: false, nameservers: [] }],
      [8, { domain: "a.de", years: 10, autoRenew: true, nameservers }],
    ]);
    expect(Object.hasOwn(Object.prototype, "admin")).toBe(false);
  });

  it.each([
    ["no domain", {}, "domain"],
    ["a null", { domain: null }, "domain"],
    ["a subdomain", { domain: "www.example.com" }, "domain"],
    ["a second-level extension", { domain: "example.co.uk" }, "domain"],
    ["a lone surrogate", { domain: "exa\ud800mple.com" }, "domain"],
    ["a NUL", { domain: "exa\u0000mple.com" }, "domain"],
    ["years 0", { domain: "example.com", years: 0 }, "years"],
    ["years 11", { domain: "example.com", years: 11 }, "years"],
    ["half a year", { domain: "example.com", years: 1.5 }, "years"],
    ["years as text", { domain: "example.com", years: "1" }, "years"],
    ["auto_renew as text", { domain: "example.com", auto_renew: "yes" }, "auto_renew"],
    ["one nameserver", { domain: "example.com", nameservers: ["ns1.example.net"] }, "nameservers"],
    [
      "seven nameservers",
      {
        domain: "example.com",
        nameservers: [1, 2, 3, 4, 5, 6, 7].map((at) => `ns${String(at)}.example.net`),
      },
      "nameservers",
    ],
    ["no host name", { domain: "example.com", nameservers: ["ns1.example.net", "no host"] }, "nameservers"],
    [
      "a surrogate there",
      { domain: "example.com", nameservers: ["ns1.example.net", "\udc00.net"] },
      "nameservers",
    ],
    [
      "a nameserver twice",
      { domain: "example.com", nameservers: ["a.example.net", "A.example.net"] },
      "nameservers",
    ],
  ])("refuses %s with 422 and names the field", async (_, body, field) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/domains", body);
    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({
      status: false,
      error: expect.stringContaining(field),
      code: "validation_failed",
      errors: { [field]: [expect.stringMatching(new RegExp(`^The field ${field}.*\\.$`))] },
    });
  });

  it("names all fields at once, with few sentences about each", async () => {
    const gateway = await gatewayUnderTest();
    const nameservers = Array.from({ length: 5_000 }, () => "-");
    const { json, text } = await gateway.post("/domains", {
      domain: "-",
      years: 99,
      auto_renew: 1,
      nameservers,
    });
    expect(json).toMatchObject({
      error: 'The field domain must be 3 to 253 characters long (sent: "-"). (and 3 more)',
      errors: {
        domain: ['The field domain must be 3 to 253 characters long (sent: "-").'],
        years: ["The field years must be an integer from 1 to 10 (sent: 99)."],
        auto_renew: ["The field auto_renew must be true or false (sent: 1)."],
        nameservers: [
          expect.stringMatching(/^The field nameservers must list 2 to 6 host names \(sent: .{80}…\)\.$/u),
        ],
      },
    });
    expect(text.length).toBeLessThan(2_000);
  });

  it.each([
    ["unsupported-extension", 422],
    ["domain-taken", 422],
    ["domain-not-available", 422],
    ["registration-in-flight", 409],
    ["registrar-failed", 500],
  ] as const)("answers %s with %d in the service's words", async (code, status) => {
    const message = `Words about ${code}.`;
    const gateway = await gatewayUnderTest({
      domain: {
        registerDomain() {
          throw rejectionError({ code, message });
        },
      },
    });
    const answer = await gateway.post("/domains", { domain: "example.com" });
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({
      status: false,
      error: expect.stringContaining(message.slice(0, -1)),
      code: code.replaceAll("-", "_"),
    });
  });

  it("answers 400 with the required and the available amount when the balance is too low", async () => {
    const gateway = await gatewayUnderTest({
      domain: {
        registerDomain() {
          throw rejectionError({
            code: "insufficient-balance",
            message: "The account balance does not cover the gross price.",
            detail: { requiredCents: 1_190n, availableCents: 1_000n },
          });
        },
      },
    });
    const answer = await gateway.post("/domains", { domain: "example.com" });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      status: false,
      error: expect.stringContaining("gross price (required: 11.90 EUR, available: 10.00 EUR). Top up"),
      code: "insufficient_balance",
      required: 11.9,
      available: 10,
    });
  });

  it("passes on the fields that a service found wrong", async () => {
    const gateway = await gatewayUnderTest({
      domain: {
        registerDomain() {
          const detail = { fieldErrors: { domain: ["The domain is reserved."] } };
          throw rejectionError({ code: "validation-failed", message: "The domain is reserved.", detail });
        },
      },
    });
    const answer = await gateway.post("/domains", { domain: "example.com" });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({
      errors: { domain: ['The domain is reserved (sent: "example.com").'] },
    });
  });
});

describe("GET /domains", () => {
  it("answers a bare array of the caller's domains, without their records", async () => {
    const gateway = await gatewayUnderTest();
    const ofSeven = await gateway.request("/domains");
    const ofEight = await gateway.request("/domains", { headers: { authorization: keyOfEight } });
    expect(ofSeven.status).toBe(200);
    expect(ofSeven.json).toEqual([domainJson(7, "of-7.com")]);
    expect(ofEight.json).toEqual([domainJson(8, "of-8.com")]);
  });

  it("answers an empty array without domains, and ignores an unknown query", async () => {
    const gateway = await gatewayUnderTest({
      domain: { listDomains: () => create(domain.ListDomainsResponseSchema) },
    });
    const answer = await gateway.request("/domains?colour=blue&__proto__=1");
    expect(answer.text).toBe("[]");
  });
});

describe("GET /domains/{domain}", () => {
  it("answers the domain with its records, and null for absent values", async () => {
    const found = domainMessage(7n, "of-7.com");
    delete found.registrationDate;
    delete found.expiryDate;
    delete found.daysUntilExpiry;
    delete found.holdBeginsAt;
    delete found.deletesAt;
    const record = { name: "@", value: "192.0.2.1", ttl: 3_600, createdAt: "2026-11-21T01:30:01.000000Z" };
    found.dnsRecords = [
      create(domain.DnsRecordSchema, { ...record, id: 1n, type: "A" }),
      create(domain.DnsRecordSchema, {
        ...record,
        id: 2n,
        type: "MX",
        value: "mail.example.net",
        priority: 0,
      }),
    ];
    const gateway = await gatewayUnderTest({
      domain: { getDomain: () => create(domain.GetDomainResponseSchema, { domain: found }) },
    });
    const answer = await gateway.request("/domains/7");
    const recordJson = {
      name: "@",
      value: "192.0.2.1",
      ttl: 3_600,
      created_at: "2026-11-21T01:30:01.000000Z",
    };
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ...domainJson(7, "of-7.com"),
      registration_date: null,
      expiry_date: null,
      days_until_expiry: null,
      hold_begins_at: null,
      deletes_at: null,
      dns_records: [
        { ...recordJson, id: 1, type: "A", priority: null },
        { ...recordJson, id: 2, type: "MX", value: "mail.example.net", priority: 0 },
      ],
    });
  });

  it("answers 403 for another account's domain and 404 for a missing one", async () => {
    const gateway = await gatewayUnderTest();
    const foreign = await gateway.request("/domains/8");
    expect(foreign.status).toBe(403);
    expect(foreign.json).toEqual({
      status: false,
      error: "This action is unauthorized.",
      code: "unauthorized",
    });
    expect(await gateway.request("/domains/9")).toMatchObject({ status: 404, json: { code: "not_found" } });
  });

  it.each(["0", "-1", "abc", "1.5", "01", "9007199254740992", "%E0%A4%A", "7%2F8", "%00"])(
    "answers 404 for the id %s, which names no resource",
    async (id) => {
      const gateway = await gatewayUnderTest();
      const answer = await gateway.request(`/domains/${id}`);
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ status: false, code: "not_found" });
    },
  );
});

describe("GET /domains/search", () => {
  it("answers whether the name is free, its prices and the quote", async () => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        searchDomain({ domain: name, years }) {
          asked.push([name, years]);
          return create(domain.SearchDomainResponseSchema, {
            domain: "example.com",
            available: true,
            price,
            years: years ?? 1,
            netCents: 2_000n,
            vatCents: 380n,
            grossCents: 2_380n,
          });
        },
      },
    });
    const answer = await gateway.request("/domains/search?domain=Example.com&years=2");
    await gateway.request("/domains/search?domain=example.com");
    expect(asked).toEqual([
      ["Example.com", 2],
      ["example.com", undefined],
    ]);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      status: true,
      domain: "example.com",
      available: true,
      tld: "com",
      currency: "EUR",
      pricing: { registration_price: 10, renewal_price: 12.5, transfer_price: 9.99, restore_price: null },
      quote: { years: 2, net: 20, vat: 3.8, gross: 23.8 },
    });
  });

  it.each([
    ["", "domain"],
    ["?domain=", "domain"],
    ["?domain=example", "domain"],
    ["?domain=www.example.com", "domain"],
    ["?domain=a.com&domain=b.com", "domain"],
    ["?domain=%FF%00.com", "domain"],
    ["?domain=a.com&years=0", "years"],
    ["?domain=a.com&years=11", "years"],
    ["?domain=a.com&years=1.0", "years"],
    ["?domain=a.com&years=", "years"],
  ])("refuses %s with 422 and names the field %s", async (query, field) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request(`/domains/search${query}`);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ errors: { [field]: [expect.stringContaining(field)] } });
  });
});

describe("GET /domains/pricing", () => {
  it("answers the price list in the service's order", async () => {
    const gateway = await gatewayUnderTest({
      domain: { listPrices: () => create(domain.ListPricesResponseSchema, { prices: [price] }) },
    });
    const answer = await gateway.request("/domains/pricing");
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual([
      {
        tld: "com",
        description: ".com domain",
        currency: "EUR",
        registration_price: 10,
        renewal_price: 12.5,
        transfer_price: 9.99,
        restore_price: null,
        searchable: true,
      },
    ]);
  });
});
