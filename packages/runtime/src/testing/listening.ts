import { Server as HttpServer } from "node:http";
import type { Server } from "node:net";

import { onTestFinished } from "vitest";

import { listen } from "./listen.ts";

/** Listens until the end of the test, even if connections are open. @returns the URL */
export async function listening(server: Server): Promise<string> {
  const port = await listen(server);
  onTestFinished(() => {
    if (server instanceof HttpServer) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String(port)}`;
}
