import type { Buyer, FrozenDocument, Seller } from "../document.ts";
import { createPdfThread } from "./pdf-thread.ts";

/** The media type of a PDF. */
export const pdfType = "application/pdf";

/**
 * The process's one thread for PDFs. A page takes it a tenth of a second, so that what takes half a minute will not end; a
 * document of 100 lines of 1,000 characters needs a fifth of its memory.
 */
const thread = createPdfThread({
  script: new URL("./make-pdf.worker.ts", import.meta.url),
  timeLimitMs: 30_000,
  memoryLimitMb: 256,
});

/**
 * Renders a document as a PDF, in a thread of its own: laying out pages would keep the gateway from answering anyone else. The
 * same document is the same bytes.
 * @throws Error when it could not be rendered; the next one is tried in a new thread if need be.
 */
export function renderPdf(document: FrozenDocument, seller: Seller, buyer: Buyer): Promise<Uint8Array> {
  return thread.render({ document, seller, buyer });
}
