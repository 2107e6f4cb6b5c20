import type { domain } from "@hostledger/protocol";
import { rejectionError, requireAccount } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { domainMessage } from "../../testing/fake-services.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf, refusedBody, refusing, smuggled } from "../../testing/recording.ts";
import { domainView } from "./domain.ts";

const json = { "content-type": "application/json" };
const shown = domainView(domainMessage(7n, "of-7.com"));
const custom = ["ns1.example.net", "ns2.example.net"];

describe("PUT /domains/{domain}/nameservers", () => {
  it("answers the updated domain, with the fields of the specification, in its order", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.put("/domains/7/nameservers", { use_rdp_nameservers: true });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(JSON.stringify({ status: true, message: "Nameservers updated", domain: shown }));
  });

  it("passes on the caller's fields, and no unknown ones", async () => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        updateNameservers(request, context) {
          asked.push([requireAccount(context).accountId, fieldsOf(request)]);
          return { domain: domainMessage(7n, "of-7.com") };
        },
      },
    });
    await gateway.request("/domains/7/nameservers", {
      method: "PUT",
      headers: json,
      body: `{"use_rdp_nameservers":false,"nameservers":${JSON.stringify(custom)},${smuggled}}`,
    });
    await gateway.put("/domains/7/nameservers", { use_rdp_nameservers: true, nameservers: custom });
    expect(asked).toEqual([
      [7, { domainId: 7n, useServiceNameservers: false, nameservers: custom }],
      [7, { domainId: 7n, useServiceNameservers: true, nameservers: custom }],
    ]);
  });

  it("requires nameservers if the service's own are not used", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.put("/domains/7/nameservers", { use_rdp_nameservers: false });
    const sentence = "The field nameservers is required when use_rdp_nameservers is false.";
    expect(answer).toMatchObject({ status: 422, json: { errors: { nameservers: [sentence] } } });
  });

  it.each([
    ["change-in-flight", 409],
    ["domain-not-active", 409],
    ["registrar-unavailable", 502],
    ["registrar-refused", 502],
    ["dns-unavailable", 502],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ domain: { updateNameservers: refusing(code) } });
    const answer = await gateway.put("/domains/7/nameservers", { use_rdp_nameservers: true });
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("PUT /domains/{domain}/settings", () => {
  it("answers the updated domain", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.put("/domains/7/settings", { auto_renew: true });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json).toEqual({ status: true, message: "Settings updated", domain: shown });
  });

  it.each<[string, object]>([
    ["{}", { domainId: 7n }],
    [`{${smuggled}}`, { domainId: 7n }],
    ['{"auto_renew":false}', { domainId: 7n, autoRenew: false }],
    ['{"whois_privacy":true,"lock_status":false}', { domainId: 7n, whoisPrivacy: true, lockStatus: false }],
  ])("passes on with %s only this setting", async (body, asked) => {
    const requests: domain.UpdateSettingsRequest[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        updateSettings(request) {
          requests.push(request);
          return { domain: domainMessage(7n, "of-7.com") };
        },
      },
    });
    await gateway.request("/domains/7/settings", { method: "PUT", headers: json, body });
    expect(requests.map(fieldsOf)).toEqual([asked]);
  });

  it.each([
    ["change-in-flight", 409],
    ["domain-not-active", 409],
    ["registrar-unavailable", 502],
    ["registrar-refused", 502],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ domain: { updateSettings: refusing(code) } });
    const answer = await gateway.put("/domains/7/settings", { lock_status: false });
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("POST /domains/{domain}/renew", () => {
  it("answers the contract's fields, in its order", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/domains/7/renew", { years: 2 });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      JSON.stringify({
        status: true,
        message: "Domain renewed",
        invoice_id: 33,
        amount_charged: 14.28,
        years: 2,
        domain: shown,
      }),
    );
  });

  it("leaves the term to the service by default, also without any body", async () => {
    const requests: domain.RenewDomainRequest[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        renewDomain(request) {
          requests.push(request);
          return { years: 1, invoiceId: 1n, domain: domainMessage(7n, "of-7.com") };
        },
      },
    });
    await gateway.request("/domains/7/renew", { method: "POST" });
    await gateway.request("/domains/7/renew", {
      method: "POST",
      headers: json,
      body: `{"years":10,${smuggled}}`,
    });
    expect(requests.map(fieldsOf)).toEqual([{ domainId: 7n }, { domainId: 7n, years: 10 }]);
  });

  it("answers 400 with the required and the available amount when the balance is too low", async () => {
    const gateway = await gatewayUnderTest({
      domain: {
        renewDomain() {
          const detail = { requiredCents: 1_428n, availableCents: 1_427n };
          throw rejectionError({ code: "insufficient-balance", message: "Too low.", detail });
        },
      },
    });
    const answer = await gateway.post("/domains/7/renew", {});
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      status: false,
      error: expect.stringContaining(
        "Too low (required: 14.28 EUR, available: 14.27 EUR). Top up the balance",
      ),
      code: "insufficient_balance",
      required: 14.28,
      available: 14.27,
    });
  });

  it.each([
    ["renewal-in-flight", 409],
    ["domain-not-renewable", 409],
    ["registrar-failed", 500],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ domain: { renewDomain: refusing(code) } });
    expect(await gateway.post("/domains/7/renew", {})).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("a domain that is not to renew itself", () => {
  const ending =
    "The domain does not renew itself: it expires on 2027-11-21, can be renewed at the normal price until 2028-01-05, and is deleted on 2028-02-09.";

  it("says when and why it ends: cancelled, or by its settings", async () => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.request("/domains/7", { method: "DELETE" })).toMatchObject({
      status: 202,
      json: { status: true, message: ending, domain: shown },
    });
    const set = await gateway.put("/domains/7/settings", { auto_renew: false });
    expect(set.json).toEqual({ status: true, message: `Settings updated. ${ending}`, domain: shown });
  });

  it.each([
    ["cancelDomain", "domain-not-active"],
    ["updateSettings", "domain-not-renewable"],
  ] as const)("answers %s that is refused as %s with 409", async (method, code) => {
    const gateway = await gatewayUnderTest({ domain: { [method]: refusing(code) } });
    const answer =
      method === "cancelDomain"
        ? await gateway.request("/domains/7", { method: "DELETE" })
        : await gateway.put("/domains/7/settings", { auto_renew: true });
    expect(answer).toMatchObject({ status: 409, json: refusedBody(code) });
  });
});

describe("GET /domains/{domain}/auth-code", () => {
  it("answers the code, which the log does not show", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request("/domains/7/auth-code");
    expect(answer).toMatchObject({ status: 200, text: '{"status":true,"auth_code":"secret-1"}' });
    expect(JSON.stringify(gateway.log)).not.toContain("secret-1");
  });

  it.each([
    ["domain-not-active", 409],
    ["registrar-unavailable", 502],
    ["registrar-refused", 502],
  ] as const)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ domain: { getAuthCode: refusing(code) } });
    const answer = await gateway.request("/domains/7/auth-code");
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});
