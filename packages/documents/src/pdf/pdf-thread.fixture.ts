import { parentPort } from "node:worker_threads";

import { blockThread } from "@hostledger/runtime/async";

import type { PdfRequest } from "./pdf-channel.ts";

/** A thread that does what the document's number says, in place of making PDFs. */
parentPort?.on("message", ({ id, document: { number } }: PdfRequest) => {
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
      // It hears nothing from here on. Blocked at first, it does not take the processor for all of the time that it is waited for.
      blockThread(2_000);
      for (;;);
    default:
      parentPort?.postMessage({ id, bytes: Buffer.from(number) });
  }
});
