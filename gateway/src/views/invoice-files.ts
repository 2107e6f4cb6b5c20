import {
  eInvoiceType,
  hasEInvoice,
  pdfType,
  renderEInvoice,
  renderPdf,
  type Seller,
} from "@hostledger/audit/documents";
import type { account as messages } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";
import { Semaphore, SemaphoreFullError } from "@hostledger/runtime";

import { buyerOf, frozenDocument } from "./frozen-document.view.ts";

/** Renders one PDF at a time, in at most about 0.1 s each, because rendering blocks one thread. */
const renderingLimits = { permits: 1, waiting: 7 };

/** File formats of documents. */
export const invoiceFormats = ["pdf", "xml"] as const;

export type InvoiceFormat = (typeof invoiceFormats)[number];

/** A document as a file. */
export interface InvoiceFile {
  /** Media type. */
  readonly type: string;
  /** File name, such as `2026-7-000042.pdf`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Renders a document. @throws ConnectError `not-found` without an electronic invoice, `overloaded` */
export type InvoiceFiles = (
  found: messages.GetInvoiceResponse,
  format: InvoiceFormat,
) => Promise<InvoiceFile>;

/** Creates the renderer of documents, one PDF at a time. */
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

/** Returns the formats of a document; without an electronic invoice only PDF. */
export function formatsOf(found: messages.GetInvoiceResponse): readonly InvoiceFormat[] {
  const { invoice } = found;
  const isBoth = invoice !== undefined && hasEInvoice(frozenDocument(found, invoice));
  return isBoth ? invoiceFormats : ["pdf"];
}

/** Refuses the XML of a payment, because an invoice without a supply would owe VAT (§14c UStG). */
function noEInvoice() {
  return rejectionError({
    code: "not-found",
    message: "The receipt of a top-up, or its cancellation, is no VAT invoice and has no XML; read its PDF.",
  });
}
