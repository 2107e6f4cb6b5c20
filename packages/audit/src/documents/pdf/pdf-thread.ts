import { Worker } from "node:worker_threads";

import { realTiming } from "@hostledger/runtime/async";

import type { DocumentInput } from "../document.ts";
import type { InvoiceProfile } from "../einvoice/en16931.ts";
import type { PaymentRequest } from "./payment-request-layout.ts";

/** A document of the books, or a payment request. */
export type PdfInput = DocumentInput | { readonly paymentRequest: PaymentRequest };

export interface PdfRequest {
  /** Id of the request, repeated in the answer. */
  readonly id: number;
  readonly input: PdfInput;
}

export type PdfAnswer =
  | { readonly id: number; readonly document: RenderedDocument }
  | { readonly id: number; readonly failure: string };

export interface RenderedDocument {
  /** PDF/A-3. It embeds the electronic invoice, if there is one. */
  readonly pdf: Uint8Array;
  /** Electronic invoice (CII in UTF-8); absent on receipts and cancellations. */
  readonly xml?: Uint8Array;
  /** Rules that the electronic invoice follows. */
  readonly profile?: InvoiceProfile;
  /** Characters that the fonts of the PDF lack, shown there as U+FFFD. The XML has them. */
  readonly missingCharacters: readonly string[];
}

/** A thread that renders PDFs. It starts on first use, and again after a failure. */
export interface PdfThread {
  /** @throws Error if rendering failed; the next request starts a new thread if this one ended. */
  render(input: PdfInput): Promise<RenderedDocument>;
}

export interface PdfThreadOptions {
  readonly script: URL;
  /** Milliseconds until an unanswered thread is terminated. */
  readonly timeLimitMs: number;
  readonly memoryLimitMb: number;
}

interface Waiting {
  readonly resolve: (document: RenderedDocument) => void;
  readonly reject: (error: Error) => void;
}

/** Creates a thread that starts on first use, because some instances never render a PDF. */
export function createPdfThread(options: PdfThreadOptions): PdfThread {
  let running: PdfThread | undefined;
  return {
    render(input) {
      running ??= start(options, () => {
        running = undefined;
      });
      return running.render(input);
    },
  };
}

/** Starts a thread. @param onEnd called once when the thread has ended, for any reason; it then gets no more requests. */
function start({ script, timeLimitMs, memoryLimitMb }: PdfThreadOptions, onEnd: () => void): PdfThread {
  const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb } });
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let hasEnded = false;
  const end = (cause: Error): void => {
    // A failed thread also emits `exit`, when its successor may already run.
    if (hasEnded) return;
    hasEnded = true;
    onEnd();
    for (const { reject } of waiting.values()) reject(cause);
    waiting.clear();
  };
  worker.on("error", end);
  worker.on("exit", () => {
    end(new Error("the thread that makes PDFs has ended"));
  });
  worker.on("message", (answer: PdfAnswer) => {
    const { resolve, reject } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    // The thread keeps the process alive only while a PDF is being rendered.
    if (waiting.size === 0) worker.unref();
    if ("document" in answer) resolve?.(answer.document);
    else reject?.(new Error(`a document could not be rendered: ${answer.failure}`));
  });
  const giveUp = (): void => {
    end(new Error(`a document was not rendered within ${String(timeLimitMs)} ms`));
    void worker.terminate();
  };

  return {
    async render(input) {
      asked += 1;
      const id = asked;
      worker.ref();
      const callOff = realTiming.after(timeLimitMs, giveUp);
      try {
        return await new Promise<RenderedDocument>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          worker.postMessage({ id, input } satisfies PdfRequest);
        });
      } finally {
        callOff();
      }
    },
  };
}
