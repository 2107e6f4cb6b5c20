import { once } from "node:events";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { connect, createServer, type Server, type Socket } from "node:net";

import { listen } from "@hostledger/runtime/testing";

/** Two nodes of a cluster with one log, one of which leads. */
export interface TwoNodes {
  /** Ports of the two nodes on 127.0.0.1. */
  readonly ports: readonly [number, number];
  /** Makes this node the leader: calls to the other node break off, and it answers that it does not lead. */
  lead(node: 0 | 1): void;
  /** Begins an election: both nodes answer that they do not lead, and name no leader. */
  elect(): void;
  /** Ends a node: nobody listens there any more. */
  stop(node: 0 | 1): Promise<void>;
  close(): Promise<void>;
}

/** Answer of a deposed node: NOT_FOUND, and the leader in the trailers. */
const notFound = "5";
const unknown = "2";

/** Two addresses of the server on a port of this machine, of which the first leads. */
export async function startTwoNodes(targetPort: number): Promise<TwoNodes> {
  let leader: number | undefined = 0;
  const follower = createHttp2Server();
  const ports: number[] = [];
  follower.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    const port = leader === undefined ? undefined : ports[leader];
    stream.respond(port === undefined ? electing : deposed(port), { endStream: true });
  });
  const nodes = [listener(0), listener(1)] as const;
  for (const { server } of nodes) ports.push(await listen(server));
  const [first = 0, second = 0] = ports;

  function listener(node: number): { readonly server: Server; cut(): void } {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => undefined);
      if (node === leader) pipe(socket, targetPort);
      else follower.emit("connection", socket);
    });
    return {
      server,
      cut: () => {
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  const become = (next: number | undefined): void => {
    leader = next;
    for (const node of nodes) node.cut();
  };
  const stop = async ({ server, cut }: (typeof nodes)[number]): Promise<void> => {
    if (!server.listening) return;
    server.close();
    cut();
    await once(server, "close");
  };
  return {
    ports: [first, second],
    lead: become,
    elect: () => {
      become(undefined);
    },
    stop: (node) => stop(nodes[node]),
    async close() {
      for (const node of nodes) await stop(node);
      follower.close();
    },
  };
}

const electing = {
  ":status": 200,
  "content-type": "application/grpc",
  "grpc-status": unknown,
  "grpc-message": "No leader info available in response",
} as const;

function deposed(leaderPort: number) {
  return {
    ":status": 200,
    "content-type": "application/grpc",
    "grpc-status": notFound,
    "grpc-message": "Leader info available",
    exception: "not-leader",
    "leader-endpoint-host": "127.0.0.1",
    "leader-endpoint-port": String(leaderPort),
  } as const;
}

function pipe(socket: Socket, port: number): void {
  const target = connect(port, "127.0.0.1");
  target.on("error", () => socket.destroy());
  target.on("close", () => socket.destroy());
  socket.on("close", () => target.destroy());
  socket.pipe(target).pipe(socket);
}
