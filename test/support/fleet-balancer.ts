import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

import { listen } from "@hostledger/runtime/testing";

/** A plain TCP load balancer: it knows nothing of HTTP, and of its backends only whether they accept a connection. */
export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Passes every connection to the next backend in turn that accepts it, and ends it when either side does.
 * @param backends ports of 127.0.0.1.
 */
export async function startBalancer(backends: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    turn += 1;
    const inTurn = backends.map((_, index) => backends[(turn + index) % backends.length] ?? 0);
    keep(client, open);
    // Nothing is read from the client before a backend is connected.
    void firstThatAccepts(inTurn, open).then((backend) => {
      if (backend === undefined || client.destroyed) {
        client.destroy();
        backend?.destroy();
        return;
      }
      join(client, backend);
    });
  });
  return {
    port: await listen(server),
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Maximum time of a backend to accept, in milliseconds; a frozen one accepts by its kernel alone. */
const connectMs = 2_000;

async function firstThatAccepts(ports: readonly number[], open: Set<Socket>): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = keep(connect({ port, host: "127.0.0.1", noDelay: true }), open);
    const accepted = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => {
        resolve(true);
      });
      socket.once("close", () => {
        resolve(false);
      });
      socket.setTimeout(connectMs, () => {
        socket.destroy();
      });
    });
    socket.setTimeout(0);
    if (accepted) return socket;
  }
  return undefined;
}

function join(client: Socket, backend: Socket): void {
  client.setNoDelay(true);
  client.pipe(backend);
  backend.pipe(client);
  client.once("close", () => {
    backend.destroy();
  });
  backend.once("close", () => {
    client.destroy();
  });
}

function keep(socket: Socket, open: Set<Socket>): Socket {
  open.add(socket);
  socket.once("close", () => {
    open.delete(socket);
  });
  // The close event follows, with the same meaning.
  socket.on("error", () => undefined);
  return socket;
}
