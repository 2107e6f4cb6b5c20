import { parentPort } from "node:worker_threads";

import { blockThread } from "@hostledger/runtime/async";

import type { PdfRequest } from "./pdf-thread.ts";

/** A worker for specs that acts on the document's number instead of rendering PDFs. */
parentPort?.on("message", ({ id, input }: PdfRequest) => {
  const number = "document" in input ? input.document.number : "";
  switch (number) {
    case "exit":
      process.exit(1);
      break;
    case "throw":
      throw new Error("the thread broke");
    case "memory": {
      const held: string[][] = [];
      for (;;) held.push(new Array<string>(100_000).fill(number));
    }
    case "silence":
      break;
    case "loop":
      // The endless loop receives no messages. The initial blocking avoids full CPU load until the time limit.
      blockThread(2_000);
      for (;;);
    default:
      parentPort?.postMessage({ id, document: { pdf: Buffer.from(number), missingCharacters: [] } });
  }
});
