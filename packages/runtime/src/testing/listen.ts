import { once } from "node:events";
import type { Server } from "node:net";

/** Listens on a free loopback port. @returns the port */
export async function listen(server: Server): Promise<number> {
  server.listen({ host: "127.0.0.1", port: 0, backlog: 1_024 });
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}
