import { once } from "node:events";
import { createServer } from "node:net";

/** A port of 127.0.0.1 on which nothing listens now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (typeof address !== "object" || address === null) throw new Error("a listening server has a port");
  return address.port;
}
