import { create } from "@bufbuild/protobuf";
import { account } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { keyOfEight } from "../../testing/fake-services.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";

const createdAt = "2026-11-21T01:30:00.000123Z";

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
      vatRateBasisPoints: 1_900,
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

  it("shows the server and the plan of a server's invoice, and its months", async () => {
    const renewal = create(account.InvoiceSchema, {
      id: 33n,
      number: "2026-7-000004",
      action: "renewal",
      gateway: "balance",
      netCents: 2_392n,
      vatCents: 455n,
      grossCents: 2_847n,
      vatRateBasisPoints: 1_900,
      duration: 3,
      paidAt: createdAt,
      delivered: true,
      serverId: 9n,
      planId: 2n,
      createdAt,
    });
    const gateway = await gatewayUnderTest({ account: { listInvoices: () => ({ invoices: [renewal] }) } });
    expect((await gateway.request("/billing/invoices")).json).toEqual([
      {
        id: 33,
        number: "2026-7-000004",
        action: "renewal",
        gateway: "balance",
        netto: 23.92,
        brutto: 28.47,
        duration: 3,
        paid: true,
        delivered: true,
        server_id: 9,
        domain_id: null,
        plan_id: 2,
        created_at: createdAt,
      },
    ]);
  });

  it("asks for one more than a page, to know whether another follows", async () => {
    const pages: unknown[] = [];
    const gateway = await gatewayUnderTest({
      account: {
        listInvoices({ accountId, page }) {
          pages.push([accountId, page?.afterId, page?.limit]);
          return { invoices: [31n, 32n, 35n].map((id) => create(account.InvoiceSchema, { id, createdAt })) };
        },
      },
    });
    const answer = await gateway.request("/billing/invoices?limit=2&after=30");
    expect(answer.json).toMatchObject([{ id: 31 }, { id: 32 }]);
    expect(answer.headers.get("link")).toMatch(/^<[^>]*\/billing\/invoices\?limit=2&after=32>; rel="next"$/);
    expect(pages).toEqual([[7n, 30n, 3]]);
  });

  it("has no link on the last page", async () => {
    const gateway = await gatewayUnderTest({
      account: {
        listInvoices: () => ({ invoices: [create(account.InvoiceSchema, { id: 31n, createdAt })] }),
      },
    });
    const answer = await gateway.request("/billing/invoices?limit=1&after=30");
    expect(answer.json).toHaveLength(1);
    expect(answer.headers.get("link")).toBeNull();
  });

  it.each(["limit=0", "limit=1001", "limit=x", "after=-1", "after=1e3"])(
    "refuses ?%s and asks no service",
    async (query) => {
      const gateway = await gatewayUnderTest({
        account: {
          listInvoices() {
            throw new Error("the service was asked");
          },
        },
      });
      expect(await gateway.request(`/billing/invoices?${query}`)).toMatchObject({
        status: 422,
        json: { status: false, code: "validation_failed" },
      });
    },
  );

  it("asks for the documents of the caller's own account", async () => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.request("/billing/invoices")).toMatchObject({ status: 200, json: [] });
  });
});
