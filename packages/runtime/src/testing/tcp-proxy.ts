import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

import { listen } from "./listen.ts";

/** A TCP proxy that simulates failures of networks and servers. */
export interface TcpProxy {
  readonly port: number;
  /** Stops all traffic; connections stay open, and new ones open without traffic. */
  freeze(): void;
  /** Freezes existing connections, as if the server vanished and another took its address; new connections work. */
  abandon(): void;
  thaw(): void;
  cut(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from);
      if (frozen) from.pause();
      from.on("data", (bytes) => to.write(bytes));
      if (frozen) from.pause();
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const port = await listen(server);
  const abandon = (): void => {
    for (const socket of sockets) socket.pause();
  };
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port,
    freeze: () => {
      frozen = true;
      abandon();
    },
    abandon,
    thaw: () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    close: async () => {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
