import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import { rejectionError, requireAccount } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { domainMessage } from "../../testing/fake-services.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";

const transferring = create(domain.TransferDomainResponseSchema, {
  invoiceId: 31n,
  amountChargedCents: 1_071n,
  domain: domainMessage(7n, "example.com"),
});

describe("POST /domains/transfer", () => {
  it("answers 202 with the fields of the contract, in its order", async () => {
    const gateway = await gatewayUnderTest({ domain: { transferDomain: () => transferring } });
    const answer = await gateway.post("/domains/transfer", { domain: "example.com", auth_code: "x" });
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({
      status: true,
      message: "Domain transfer started",
      invoice_id: 31,
      amount_charged: 10.71,
      domain: { id: 7, domain_name: "example.com" },
    });
    expect(answer.text).toMatch(/^{"status":.*"message":.*"invoice_id":.*"amount_charged":.*"domain":/);
  });

  it("passes on the caller's order unchanged, without unknown fields", async () => {
    const orders: unknown[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        transferDomain({ domain: name, authCode, autoRenew, nameservers }, context) {
          orders.push([requireAccount(context).accountId, { name, authCode, autoRenew, nameservers }]);
          return transferring;
        },
      },
    });
    await gateway.post("/domains/transfer", { domain: "Example.COM", auth_code: " A b " });
    const nameservers = ["NS1.example.net", "ns2.example.net"];
    const whole = { domain: "a.de", auth_code: "x", auto_renew: true, nameservers, years: 3, price: 0 };
    await gateway.post("/domains/transfer", whole);
    expect(orders).toEqual([
      [7, { name: "Example.COM", authCode: " A b ", autoRenew: false, nameservers: [] }],
      [7, { name: "a.de", authCode: "x", autoRenew: true, nameservers }],
    ]);
  });

  it.each([
    ["not-transferable", 422],
    ["invalid-auth-code", 422],
    ["domain-taken", 422],
    ["registration-in-flight", 409],
    ["registrar-failed", 500],
  ] as const)("answers %s with %d in the service's words", async (code, status) => {
    const message = `Words about ${code}.`;
    const gateway = await gatewayUnderTest({
      domain: {
        transferDomain() {
          throw rejectionError({ code, message });
        },
      },
    });
    const answer = await gateway.post("/domains/transfer", { domain: "example.com", auth_code: "x" });
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({
      status: false,
      error: expect.stringContaining(message.slice(0, -1)),
      code: code.replaceAll("-", "_"),
    });
  });
});
