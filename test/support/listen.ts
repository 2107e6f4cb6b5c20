import type { Server } from "node:net";

/** Listens on a free port of the loopback interface. @returns the port */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0, backlog: 1_024 }, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("a TCP server has a port"));
      else resolve(address.port);
    });
  });
}
