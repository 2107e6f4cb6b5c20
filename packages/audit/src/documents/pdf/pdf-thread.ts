import { Worker } from "node:worker_threads";

import { realTiming } from "@hostledger/runtime/async";

import type { Buyer, FrozenDocument, Seller } from "../document.ts";

export interface PdfRequest {
  /** Id of the request, repeated in the answer. */
  readonly id: number;
  readonly document: FrozenDocument;
  readonly seller: Seller;
  readonly buyer: Buyer;
}

export type PdfAnswer =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly failure: string };

/** A thread that renders PDFs. It starts on first use, and again after a failure. */
export interface PdfThread {
  /** @throws Error if rendering failed; the next request starts a new thread if this one ended. */
  render(request: Omit<PdfRequest, "id">): Promise<Uint8Array>;
}

export interface PdfThreadOptions {
  readonly script: URL;
  /** Milliseconds until an unanswered thread is terminated. */
  readonly timeLimitMs: number;
  readonly memoryLimitMb: number;
}

interface Waiting {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Creates a thread that starts on first use, because some instances never render a PDF. */
export function createPdfThread(options: PdfThreadOptions): PdfThread {
  let running: PdfThread | undefined;
  return {
    render(request) {
      running ??= start(options, () => {
        running = undefined;
      });
      return running.render(request);
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
    if ("bytes" in answer) resolve?.(answer.bytes);
    else reject?.(new Error(`a document could not be rendered: ${answer.failure}`));
  });
  const giveUp = (): void => {
    end(new Error(`a document was not rendered within ${String(timeLimitMs)} ms`));
    void worker.terminate();
  };

  return {
    async render(request) {
      asked += 1;
      const id = asked;
      worker.ref();
      const callOff = realTiming.after(timeLimitMs, giveUp);
      try {
        return await new Promise<Uint8Array>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          worker.postMessage({ id, ...request } satisfies PdfRequest);
        });
      } finally {
        callOff();
      }
    },
  };
}
