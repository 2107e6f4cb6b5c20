import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

import { listen } from "./listen.ts";

/** A TCP proxy whose connections can be broken in the ways that networks and servers break them. */
export interface TcpProxy {
  readonly port: number;
  /** Takes in nothing and sends nothing, on connections that stay open. New ones open and stay silent. */
  freeze(): void;
  /** Freezes the connections that there are, as where a server has vanished and another one has its address; new ones are served. */
  abandon(): void;
  thaw(): void;
  /** Ends all connections at once, with a reset. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a port of this machine. */
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
