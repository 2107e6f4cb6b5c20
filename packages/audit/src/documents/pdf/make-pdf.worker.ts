import { parentPort } from "node:worker_threads";

import { hasEInvoice, writeEInvoice } from "../einvoice/cii.ts";
import { documentLayout } from "./document-layout.ts";
import { embeddedInvoice } from "./factur-x.ts";
import { createLettering } from "./lettering.ts";
import { makePdf } from "./make-pdf.ts";
import { paymentRequestLayout } from "./payment-request-layout.ts";
import type { PdfAnswer, PdfRequest, RenderedDocument } from "./pdf-thread.ts";

/** Answers requests in a separate thread, so that the main thread keeps answering requests. */

async function rendered({ input }: PdfRequest): Promise<RenderedDocument> {
  const letters = createLettering();
  if ("paymentRequest" in input) {
    const pdf = await makePdf(paymentRequestLayout(input.paymentRequest, letters));
    return { pdf, missingCharacters: letters.missing() };
  }
  const layout = documentLayout(input, letters);
  const written = hasEInvoice(input.document) ? writeEInvoice(input) : undefined;
  const pdf = await makePdf(layout, written && embeddedInvoice(written, input.document));
  return {
    pdf,
    ...(written === undefined ? {} : { xml: Buffer.from(written.xml), profile: written.profile }),
    missingCharacters: letters.missing(),
  };
}

async function answerTo(request: PdfRequest): Promise<PdfAnswer> {
  const { id } = request;
  try {
    return { id, document: await rendered(request) };
  } catch (error) {
    return { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on("message", (request: PdfRequest) => {
  void answerTo(request).then((answer) => parentPort?.postMessage(answer));
});
