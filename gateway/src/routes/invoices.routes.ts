import type { Client } from "@connectrpc/connect";
import { eInvoiceType, pdfType, type Seller } from "@hostledger/audit/documents";
import type { account as messages } from "@hostledger/protocol";

import { operation, type Caller, type Operation } from "../http/operation.ts";
import { invoiceDetail, invoicePath, pdfFile, xmlFile } from "../schemas/billing.schema.ts";
import { invoiceDetailView } from "../views/billing.view.ts";
import { createInvoiceFiles } from "../views/invoice-files.ts";

type AccountClient = Client<typeof messages.AccountService>;

/** Operations on one document. They show the buyer and amounts stored at issue, and the seller's present data. */
export function invoiceRoutes(
  accounts: AccountClient,
  seller: Seller,
  fileOf = createInvoiceFiles(seller),
): Operation[] {
  return [
    operation({
      id: "getInvoice",
      scopes: ["billing", "read"],
      tag: "Billing",
      method: "get",
      path: "/billing/invoices/{invoice}",
      summary: "Read an invoice, a receipt or a correction with its lines",
      request: { params: invoicePath },
      responses: { 200: invoiceDetail },
      refusals: [],
      async handle({ params }, caller) {
        const { found, invoice } = await read(accounts, params.invoice, caller);
        return { status: 200, body: invoiceDetailView(found, invoice) };
      },
    }),
    operation({
      id: "getInvoicePdf",
      scopes: ["billing", "read"],
      tag: "Billing",
      method: "get",
      path: "/billing/invoices/{invoice}.pdf",
      summary: "Download an invoice, a receipt or a correction as a PDF",
      request: { params: invoicePath },
      responses: { 200: pdfFile },
      media: pdfType,
      refusals: [],
      async handle({ params }, caller) {
        const { found } = await read(accounts, params.invoice, caller);
        return { status: 200, file: await fileOf(found, "pdf") };
      },
    }),
    operation({
      id: "getInvoiceXml",
      scopes: ["billing", "read"],
      tag: "Billing",
      method: "get",
      path: "/billing/invoices/{invoice}.xml",
      summary: "Download an invoice or a correction as an electronic invoice",
      description:
        "XML per EN 16931 in the syntax UN/CEFACT CII. The receipt of a top-up and its cancellation are no invoices: they have none, which is 404.",
      request: { params: invoicePath },
      responses: { 200: xmlFile },
      media: eInvoiceType,
      refusals: [],
      async handle({ params }, caller) {
        const { found } = await read(accounts, params.invoice, caller);
        return { status: 200, file: await fileOf(found, "xml") };
      },
    }),
  ];
}

async function read(accounts: AccountClient, invoiceId: bigint, { call }: Caller) {
  const found = await accounts.getInvoice({ invoiceId }, call);
  const { invoice } = found;
  if (invoice === undefined) throw new Error(`the account service answered no invoice ${String(invoiceId)}`);
  return { found, invoice };
}
