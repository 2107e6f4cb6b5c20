import { create } from "@bufbuild/protobuf";
import { account } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { keyOfEight } from "../testing/fake-services.ts";
import { gatewayUnderTest } from "../testing/gateway-under-test.ts";

describe("GET /billing/balance", () => {
  it("answers the caller's own balance as a decimal string", async () => {
    const gateway = await gatewayUnderTest();
    const ofSeven = await gateway.request("/billing/balance");
    const ofEight = await gateway.request("/billing/balance", { headers: { authorization: keyOfEight } });
    expect(ofSeven).toMatchObject({ status: 200, json: { balance: "70.05" } });
    expect(ofEight).toMatchObject({ status: 200, json: { balance: "80.05" } });
  });
});

describe("GET /billing/invoices", () => {
  it("answers a bare array with the contract's fields", async () => {
    const purchase = create(account.InvoiceSchema, {
      id: 31n,
      number: "2026-7-000002",
      action: "purchase",
      gateway: "balance",
      netCents: 1_000n,
      vatCents: 190n,
      grossCents: 1_190n,
      vatRatePercent: 19,
      duration: 1,
      paidAt: "2026-11-21T01:30:00.000123Z",
      delivered: true,
      domainId: 7n,
      createdAt: "2026-11-21T01:30:00.000123Z",
    });
    const refund = create(account.InvoiceSchema, {
      ...purchase,
      id: 32n,
      number: "2026-7-000003",
      action: "refund",
      netCents: -1_000n,
      grossCents: -1_190n,
      duration: 0,
      paidAt: "",
      delivered: false,
      correctsInvoiceId: 31n,
    });
    const gateway = await gatewayUnderTest({
      account: {
        listInvoices: () => create(account.ListInvoicesResponseSchema, { invoices: [purchase, refund] }),
      },
    });
    const answer = await gateway.request("/billing/invoices");
    const purchaseJson = {
      id: 31,
      number: "2026-7-000002",
      action: "purchase",
      gateway: "balance",
      netto: 10,
      brutto: 11.9,
      duration: 1,
      paid: true,
      delivered: true,
      server_id: null,
      domain_id: 7,
      plan_id: null,
      created_at: "2026-11-21T01:30:00.000123Z",
    };
    const refundJson = {
      ...purchaseJson,
      id: 32,
      number: "2026-7-000003",
      action: "refund",
      netto: -10,
      brutto: -11.9,
      duration: 0,
      paid: false,
      delivered: false,
    };
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(JSON.stringify([purchaseJson, refundJson]));
  });

  it("asks for the documents of the caller's own account", async () => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.request("/billing/invoices")).toMatchObject({ status: 200, json: [] });
  });
});
