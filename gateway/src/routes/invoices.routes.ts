import type { Client } from "@connectrpc/connect";
import {
  eInvoiceType,
  hasEInvoice,
  pdfType,
  renderEInvoice,
  renderPdf,
  type Seller,
} from "@hostledger/documents";
import type { account as messages } from "@hostledger/protocol";
import { Semaphore, SemaphoreFullError } from "@hostledger/runtime";

import { operation, type Caller, type Operation } from "../http/operation.ts";
import { RefusalError } from "../http/refusal.ts";
import { invoiceDetail, invoicePath, pdfFile, xmlFile } from "../schemas/billing.schema.ts";
import { invoiceDetailView } from "../views/billing.view.ts";
import { buyerOf, frozenDocument } from "../views/frozen-document.view.ts";

type AccountClient = Client<typeof messages.AccountService>;

/**
 * Laying out a page is work of one thread: two at once would not be done sooner, and would hold twice the memory. One PDF
 * takes a tenth of a second at worst, so that the last of those that wait waits about a second.
 */
const renderingLimits = { permits: 1, waiting: 7 };

/**
 * The operations on one document. Its figures are those that its event froze, the buyer is as known on the day of issue; the
 * seller is that of the day it is read, and so is the name of a buyer who had told no other.
 */
export function invoiceRoutes(
  accounts: AccountClient,
  seller: Seller,
  renderings = new Semaphore(renderingLimits),
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
        const { found, invoice } = await read(accounts, params.invoice, caller);
        const document = frozenDocument(found, invoice);
        const bytes = await whenFree(renderings, () => renderPdf(document, seller, buyerOf(found)));
        return { status: 200, file: { type: pdfType, name: `${document.number}.pdf`, bytes } };
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
        "XML per EN 16931 in the syntax UN/CEFACT CII. The receipt of a top-up is no invoice: it has none, which is 404.",
      request: { params: invoicePath },
      responses: { 200: xmlFile },
      media: eInvoiceType,
      refusals: [],
      async handle({ params }, caller) {
        const { found, invoice } = await read(accounts, params.invoice, caller);
        const document = frozenDocument(found, invoice);
        if (!hasEInvoice(document)) throw noEInvoice();
        const bytes = Buffer.from(renderEInvoice(document, seller, buyerOf(found)));
        return { status: 200, file: { type: eInvoiceType, name: `${document.number}.xml`, bytes } };
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

/** @throws RefusalError 503 */
async function whenFree(renderings: Semaphore, render: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await renderings.run(render);
  } catch (error) {
    if (!(error instanceof SemaphoreFullError)) throw error;
    throw new RefusalError({
      code: "overloaded",
      message: "Too many documents are being made at the moment. Try again in a second.",
      detail: { retryAfterSeconds: 1 },
    });
  }
}

/** A payment is no supply: an invoice of it would owe VAT by its mere existence (§14c UStG). */
function noEInvoice(): RefusalError {
  return new RefusalError({
    code: "not-found",
    message: "The receipt of a top-up is no VAT invoice and has no XML; read its PDF.",
  });
}
