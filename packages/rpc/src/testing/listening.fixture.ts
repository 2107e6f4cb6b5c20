import { once } from "node:events";
import type { Server } from "node:net";

import { onTestFinished } from "vitest";

/** Lets a server listen until the test is over. @returns its URL */
export async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${String(typeof address === "object" ? address?.port : 0)}`;
}
