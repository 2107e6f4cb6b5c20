import { create } from "@bufbuild/protobuf";
import { account } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";

import { invoiceMessage, keyOfEight } from "../../testing/fake-services.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { refusedBody, refusing } from "../../testing/recording.ts";

const receipt = create(account.GetInvoiceResponseSchema, {
  invoice: {
    id: 7n,
    number: "2026-7-T000001",
    action: "topup",
    gateway: "transfer",
    netCents: 10_000n,
    grossCents: 10_000n,
    paidAt: "2026-11-21T01:30:00.000123Z",
    delivered: true,
    createdAt: "2026-11-21T01:30:00.000123Z",
  },
  accountId: 7n,
  accountName: "Example",
  cause: "bank-1",
  lines: [{ description: "Balance top-up", quantity: 1, unitCents: 10_000n, amountCents: 10_000n }],
});

const correction = create(account.GetInvoiceResponseSchema, {
  invoice: {
    id: 7n,
    number: "2026-7-C000001",
    action: "refund",
    gateway: "balance",
    netCents: -1_000n,
    vatCents: -190n,
    grossCents: -1_190n,
    vatRateBasisPoints: 1_900,
    duration: 1,
    paidAt: "2026-11-22T01:30:00.000000Z",
    delivered: true,
    domainId: 3n,
    createdAt: "2026-11-22T01:30:00.000000Z",
    correctsInvoiceId: 6n,
  },
  accountId: 7n,
  accountName: "Example",
  cause: "registration-1",
  correctsNumber: "2026-7-000001",
  correctsIssuedAt: "2026-11-21T01:30:00.000123Z",
  reason: "The registrar refused",
});

describe("GET /billing/invoices/{invoice}", () => {
  it("answers the list's fields, the lines and the VAT", async () => {
    const gateway = await gatewayUnderTest();
    const { status, json } = await gateway.request("/billing/invoices/7");
    expect(status).toBe(200);
    expect(json).toEqual({
      id: 7,
      number: "2026-7-000001",
      action: "purchase",
      gateway: "balance",
      netto: 10,
      brutto: 11.9,
      duration: 1,
      paid: true,
      delivered: true,
      server_id: null,
      domain_id: 3,
      plan_id: null,
      created_at: "2026-11-21T01:30:00.000123Z",
      vat: 1.9,
      vat_rate: 19,
      prices_include_vat: false,
      lines: [
        { description: "Registration of example.com, per year", quantity: 1, unit_price: 10, amount: 10 },
      ],
      // The id of an internal run is hidden from customers.
      payment_reference: null,
      corrects_invoice_id: null,
      corrects_number: null,
      reason: null,
    });
  });

  it("answers the payment's reference on a receipt, and the corrected invoice on a correction", async () => {
    const ofReceipt = await gatewayUnderTest({ account: { getInvoice: () => receipt } });
    expect((await ofReceipt.request("/billing/invoices/7")).json).toMatchObject({
      payment_reference: "bank-1",
      vat: 0,
    });
    const ofCorrection = await gatewayUnderTest({ account: { getInvoice: () => correction } });
    expect((await ofCorrection.request("/billing/invoices/7")).json).toMatchObject({
      brutto: -11.9,
      lines: [],
      payment_reference: null,
      corrects_invoice_id: 6,
      corrects_number: "2026-7-000001",
      reason: "The registrar refused",
    });
  });
});

describe("the files of a document", () => {
  it.each([
    ["pdf", "application/pdf", "%PDF-1.7 archived"],
    ["xml", "application/xml", "<archived/>"],
  ])("are answered as %s, as the archive has them", async (format, mediaType, content) => {
    const gateway = await gatewayUnderTest();
    const { status, headers, text } = await gateway.request(`/billing/invoices/7.${format}`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(mediaType);
    expect(headers.get("content-disposition")).toBe(`attachment; filename="2026-7-000001.${format}"`);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(Number(headers.get("content-length"))).toBe(Buffer.byteLength(text));
    expect(text).toBe(content);
  });

  it("are answered to HEAD with the headers alone", async () => {
    const gateway = await gatewayUnderTest();
    const { status, headers, text } = await gateway.request("/billing/invoices/7.pdf", { method: "HEAD" });
    expect([status, headers.get("content-type"), text]).toEqual([200, "application/pdf", ""]);
    expect(headers.get("content-length")).toBe("17");
  });

  it("are refused if the stored bytes were changed", async () => {
    const gateway = await gatewayUnderTest({ documents: { getDocumentFiles: refusing("document-damaged") } });
    expect(await gateway.request("/billing/invoices/7.pdf")).toMatchObject({
      status: 500,
      json: refusedBody("document-damaged"),
    });
  });
});

describe("the proof of a document", () => {
  it("has all that is needed to check its files offline", async () => {
    const gateway = await gatewayUnderTest();
    const { status, json } = await gateway.request("/billing/invoices/7/proof");
    expect([status, json]).toEqual([
      200,
      {
        format: "hostledger-document-proof",
        version: 1,
        salt: "5a".repeat(32),
        entry: Buffer.from("the event").toString("base64"),
        index: 1_234,
        hashes: [Buffer.alloc(32, 1).toString("base64"), Buffer.alloc(32, 2).toString("base64")],
        checkpoint: "hostledger/spec\n2000\nroot\n\n— hostledger/spec signature\n",
        verifier_keys: ["hostledger/spec+00000001+key"],
      },
    ]);
  });

  it("is pending until a checkpoint covers the document", async () => {
    const gateway = await gatewayUnderTest({ proofs: { getDocumentProof: refusing("proof-pending") } });
    expect(await gateway.request("/billing/invoices/7/proof")).toMatchObject({
      status: 404,
      json: refusedBody("proof-pending"),
    });
  });
});

describe.each(["", ".pdf", ".xml", "/proof"])("GET /billing/invoices/{invoice}%s", (ending) => {
  it("does not show another account's document", async () => {
    const gateway = await gatewayUnderTest();
    const headers = { authorization: keyOfEight };
    expect(await gateway.request(`/billing/invoices/7${ending}`, { headers })).toMatchObject({
      status: 403,
      json: { status: false, error: "This action is unauthorized.", code: "unauthorized" },
    });
  });

  it.each(["9", "0", "-1", "7.0", "7.PDF", "7.xml.pdf", ".pdf", "..%2F7", "7%00"])(
    "has no document %s",
    async (id) => {
      const gateway = await gatewayUnderTest();
      const { status, json } = await gateway.request(`/billing/invoices/${id}${ending}`);
      expect([status, json]).toEqual([404, expect.objectContaining({ code: "not_found" })]);
    },
  );

  it("passes on the account service's answer", async () => {
    const gateway = await gatewayUnderTest({
      account: { getInvoice: refusing("temporarily-unavailable") },
      documents: {
        getDocumentFiles: refusing("temporarily-unavailable"),
        getArchivedDocument: refusing("temporarily-unavailable"),
      },
    });
    expect(await gateway.request(`/billing/invoices/7${ending}`)).toMatchObject({
      status: 503,
      json: refusedBody("temporarily-unavailable"),
    });
  });

  it("requests the one document in the caller's name", async () => {
    const asked: bigint[] = [];
    const gateway = await gatewayUnderTest({
      account: {
        getInvoice({ invoiceId }) {
          asked.push(invoiceId);
          return invoiceMessage(invoiceId);
        },
      },
      documents: {
        getDocumentFiles({ invoiceId }) {
          asked.push(invoiceId);
          return { files: [{ name: "2026-7-000001.pdf", mediaType: "application/pdf" }] };
        },
        getArchivedDocument({ invoiceId }) {
          asked.push(invoiceId);
          return { stream: "document-7" };
        },
      },
      proofs: { getDocumentProof: () => ({}) },
    });
    await gateway.request(`/billing/invoices/9007199254740991${ending}`);
    expect(asked).toEqual([9_007_199_254_740_991n]);
  });
});
