import {
  eInvoiceType,
  hasEInvoice,
  pdfType,
  renderEInvoice,
  renderPdf,
  type Seller,
} from "@hostledger/documents";
import type { account as messages } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";
import { Semaphore, SemaphoreFullError } from "@hostledger/runtime";

import { buyerOf, frozenDocument } from "./frozen-document.view.ts";

/**
 * Laying out a page is work of one thread: two at once would not be done sooner, and would hold twice the memory. One PDF
 * takes a tenth of a second at worst, so that the last of those that wait waits about a second.
 */
const renderingLimits = { permits: 1, waiting: 7 };

/** What documents are made as. */
export const invoiceFormats = ["pdf", "xml"] as const;

/** One of them. */
export type InvoiceFormat = (typeof invoiceFormats)[number];

/** A document as a file. */
export interface InvoiceFile {
  /** Its media type. */
  readonly type: string;
  /** For example `2026-7-000042.pdf`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Makes a document a file.
 * @throws ConnectError `not-found` for what has no electronic invoice, `overloaded` while too many are being made.
 */
export type InvoiceFiles = (
  found: messages.GetInvoiceResponse,
  format: InvoiceFormat,
) => Promise<InvoiceFile>;

/** Makes files of documents, one PDF at a time. */
export function createInvoiceFiles(
  seller: Seller,
  renderings = new Semaphore(renderingLimits),
): InvoiceFiles {
  return async (found, format) => {
    const { invoice } = found;
    if (invoice === undefined) throw new Error("the account service answered a document without an invoice");
    const document = frozenDocument(found, invoice);
    const name = `${document.number}.${format}`;
    if (format === "pdf") {
      const bytes = await whenFree(renderings, () => renderPdf(document, seller, buyerOf(found)));
      return { type: pdfType, name, bytes };
    }
    if (!hasEInvoice(document)) throw noEInvoice();
    const bytes = Buffer.from(renderEInvoice(document, seller, buyerOf(found)));
    return { type: eInvoiceType, name, bytes };
  };
}

async function whenFree<Bytes>(renderings: Semaphore, render: () => Promise<Bytes>): Promise<Bytes> {
  try {
    return await renderings.run(render);
  } catch (error) {
    if (!(error instanceof SemaphoreFullError)) throw error;
    throw rejectionError({
      code: "overloaded",
      message: "Too many documents are being made at the moment. Try again in a second.",
      detail: { retryAfterSeconds: 1 },
    });
  }
}

/** As what a document can be made: what has no electronic invoice is a PDF alone. */
export function formatsOf(found: messages.GetInvoiceResponse): readonly InvoiceFormat[] {
  const { invoice } = found;
  const isBoth = invoice !== undefined && hasEInvoice(frozenDocument(found, invoice));
  return isBoth ? invoiceFormats : ["pdf"];
}

/** A payment is no supply: an invoice of it would owe VAT by its mere existence (§14c UStG). */
function noEInvoice() {
  return rejectionError({
    code: "not-found",
    message: "The receipt of a top-up, or its cancellation, is no VAT invoice and has no XML; read its PDF.",
  });
}
