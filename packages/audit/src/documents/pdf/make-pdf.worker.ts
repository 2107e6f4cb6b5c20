import { parentPort } from "node:worker_threads";

import { documentLayout } from "./document-layout.ts";
import { makePdf } from "./make-pdf.ts";
import type { PdfAnswer, PdfRequest } from "./pdf-thread.ts";

/** Answers requests in a separate thread, so that the main thread keeps answering requests. */

async function answerTo({ id, document, seller, buyer }: PdfRequest): Promise<PdfAnswer> {
  try {
    return { id, bytes: await makePdf(documentLayout(document, seller, buyer)) };
  } catch (error) {
    return { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on("message", (request: PdfRequest) => {
  void answerTo(request).then((answer) => parentPort?.postMessage(answer));
});
