import type { Statement } from "../../reports/index.ts";

import type { DocumentInput } from "../document.ts";
import type { PaymentRequest } from "./payment-request-layout.ts";
import { createPdfThread, type RenderedDocument } from "./pdf-thread.ts";

export const pdfType = "application/pdf";

/** The process's PDF thread. A page takes 15 ms, the first one of a thread 0.1 s; 100 lines of 1,000 characters need a fifth of the memory limit. */
const thread = createPdfThread({
  script: new URL("./make-pdf.worker.ts", import.meta.url),
  timeLimitMs: 30_000,
  memoryLimitMb: 256,
});

/**
 * Renders the files of a document: the PDF and, of an invoice or correction, the XML that the PDF also contains. Takes the
 * frozen document with its language, template version, business date and tax treatment, the seller, and the buyer, all as
 * they were at its issue. Reads no setting, clock or random number: equal inputs have equal bytes under one version of this
 * program and its libraries; store the files to keep them beyond that. Runs in a separate thread, because rendering blocks
 * for 15 ms a page.
 * @throws Error if rendering failed, or the template version is unknown.
 */
export function renderDocument(input: DocumentInput): Promise<RenderedDocument> {
  return thread.render(input);
}

/** Draws a payment request with its QR code as a PDF, in a separate thread. Equal requests have equal bytes. @throws Error if it failed */
export async function renderPaymentRequest(paymentRequest: PaymentRequest): Promise<Uint8Array> {
  return (await thread.render({ paymentRequest })).pdf;
}

/** Renders an account's statement as a PDF in the caller's thread, for the command line. Equal statements have equal bytes. */
export async function renderStatement(statement: Statement): Promise<Uint8Array> {
  const [{ makePdf }, { statementLayout }, { createLettering }] = await Promise.all([
    import("./make-pdf.ts"),
    import("./statement-layout.ts"),
    import("./lettering.ts"),
  ]);
  return makePdf(statementLayout(statement, createLettering()));
}
