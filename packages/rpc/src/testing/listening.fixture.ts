import type { Server } from "node:net";

import { listen } from "@hostledger/runtime/testing";
import { onTestFinished } from "vitest";

/** Lets a server listen until the test is over. @returns its URL */
export async function listening(server: Server): Promise<string> {
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${String(port)}`;
}
