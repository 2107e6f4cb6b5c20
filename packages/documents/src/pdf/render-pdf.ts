import type { Statement } from "@hostledger/reports";

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

/**
 * Renders an account's statement as a PDF, in the caller's thread: it is for the command line, which has nothing else to
 * do, and a statement of years may be as long as it is. The same statement is the same bytes. The library is loaded at
 * the first call, since it is large and most readers never ask for a PDF.
 */
export async function renderStatement(statement: Statement): Promise<Uint8Array> {
  const [{ makePdf }, { statementLayout }] = await Promise.all([
    import("./make-pdf.ts"),
    import("./statement-layout.ts"),
  ]);
  return makePdf(statementLayout(statement));
}
