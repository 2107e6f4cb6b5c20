import type { Statement } from "../../reports/index.ts";

import type { Buyer, FrozenDocument, Seller } from "../document.ts";
import { createPdfThread } from "./pdf-thread.ts";

export const pdfType = "application/pdf";

/** The process's PDF thread. A page takes 0.1 s; 100 lines of 1,000 characters need a fifth of the memory limit. */
const thread = createPdfThread({
  script: new URL("./make-pdf.worker.ts", import.meta.url),
  timeLimitMs: 30_000,
  memoryLimitMb: 256,
});

/**
 * Renders a document as a PDF in a separate thread, because rendering would block the gateway. Equal documents have equal
 * bytes.
 * @throws Error if rendering failed.
 */
export function renderPdf(document: FrozenDocument, seller: Seller, buyer: Buyer): Promise<Uint8Array> {
  return thread.render({ document, seller, buyer });
}

/** Renders an account's statement as a PDF in the caller's thread, for the command line. Equal statements have equal bytes. */
export async function renderStatement(statement: Statement): Promise<Uint8Array> {
  const [{ makePdf }, { statementLayout }] = await Promise.all([
    import("./make-pdf.ts"),
    import("./statement-layout.ts"),
  ]);
  return makePdf(statementLayout(statement));
}
