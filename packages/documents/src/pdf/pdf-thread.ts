import { Worker } from "node:worker_threads";

import { realTiming } from "@hostledger/runtime/async";

import type { PdfAnswer, PdfRequest } from "./pdf-channel.ts";

/** A thread that makes PDFs. It starts with the first one, and anew after it failed. */
export interface PdfThread {
  /** @throws Error when it could not be made; the next one is tried in a new thread if this one is gone. */
  render(request: Omit<PdfRequest, "id">): Promise<Uint8Array>;
}

/** How a thread works. */
export interface PdfThreadOptions {
  /** The module that the thread runs. */
  readonly script: URL;
  /** After so many milliseconds an answer is no longer waited for, and the thread is given up. */
  readonly timeLimitMs: number;
  /** What the thread may hold, in MB. */
  readonly memoryLimitMb: number;
}

interface Waiting {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Prepares a thread; nothing is started yet, since not every instance makes a PDF. */
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

/** @param onEnd told once, when the thread has ended, however that came; it is asked nothing more. */
function start({ script, timeLimitMs, memoryLimitMb }: PdfThreadOptions, onEnd: () => void): PdfThread {
  const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb } });
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let hasEnded = false;
  const end = (cause: Error): void => {
    // A thread that failed also exits; by then its successor may be at work.
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
    // A process with nothing left to do may end; one that waits for a PDF may not.
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
