import type { Server } from "node:http";
import type { Socket } from "node:net";

import type { Ids } from "@hostledger/runtime";
import proxyAddress from "proxy-addr";

import { refusalText } from "./client-error.ts";
import { networkOf } from "./client-network.ts";
import { takeProxyHeader } from "./proxy-header.ts";
import type { GatewayLogger } from "./request-log.ts";

export interface ConnectionLimits {
  /** Connections from one address or one IPv6 /64; 0 means unlimited. */
  readonly perAddress: number;
  /** Networks (CIDR) of proxies, whose connections are not counted because they serve many clients. */
  readonly trustedProxies: readonly string[];
  /** Time in milliseconds after which a connection with an open request and no traffic is closed. */
  readonly stalledMs: number;
  /** True if every connection of a trusted proxy begins with a PROXY protocol header; false if none does. */
  readonly proxyHeaders: boolean;
  /** Time limit for receiving the whole PROXY header, in milliseconds. */
  readonly proxyHeaderMs: number;
}

export interface ConnectionLimitOptions extends Partial<ConnectionLimits> {
  readonly ids: Pick<Ids, "requestId">;
  readonly logger: Pick<GatewayLogger, "info">;
}

/** Longer than any answer takes, so only clients that do not read are disconnected. */
const usualStalledMs = 120_000;

/** Proxies send the header at once; five seconds allow a packet to be resent. */
const usualProxyHeaderMs = 5_000;

/**
 * Limits connections per client: further connections get 503 and are closed, stalled connections are closed. If
 * `proxyHeaders` is set, trusted proxies name the client of each connection first.
 * @returns closes the connections whose proxy has not named a client yet.
 */
export function limitConnections(server: Server, options: ConnectionLimitOptions): () => void {
  const { ids, logger, perAddress = 0, trustedProxies = [], proxyHeaders = false } = options;
  server.timeout = options.stalledMs ?? usualStalledMs;
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  const open = new Map<string, number>();
  const unnamed = new Set<Socket>();
  // Removes the server's own listener until a connection is accepted, so a refused connection runs no request.
  const serve = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (proxyHeaders && isOfProxy(socket)) awaitName(socket);
    else admit(socket);
  });
  return () => {
    for (const socket of unnamed) socket.destroy();
  };

  function isOfProxy({ remoteAddress }: Socket): boolean {
    return remoteAddress !== undefined && isTrusted(remoteAddress, 0);
  }

  function awaitName(socket: Socket): void {
    const { remoteAddress } = socket;
    unnamed.add(socket);
    socket.once("close", () => unnamed.delete(socket));
    takeProxyHeader(socket, {
      timeoutMs: options.proxyHeaderMs ?? usualProxyHeaderMs,
      accept() {
        unnamed.delete(socket);
        admit(socket);
      },
      refused(reason) {
        logger.info({ from: remoteAddress }, `a trusted proxy's connection was closed: ${reason}`);
      },
    });
  }

  function admit(socket: Socket): void {
    const { remoteAddress } = socket;
    if (
      perAddress === 0 ||
      remoteAddress === undefined ||
      isOfProxy(socket) ||
      count(socket, networkOf(remoteAddress))
    )
      for (const each of serve) Reflect.apply(each, server, [socket]);
    else refuse(socket, ids.requestId());
  }

  function count(socket: Socket, network: string): boolean {
    const held = open.get(network) ?? 0;
    if (held >= perAddress) return false;
    open.set(network, held + 1);
    socket.once("close", () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
    return true;
  }
}

function refuse(socket: Socket, requestId: string): void {
  const message = "Too many connections from this address. Close some, or wait until others end.";
  // The client may have disconnected already.
  socket.on("error", () => undefined);
  socket.end(refusalText({ status: 503, rejection: { code: "overloaded", message } }, requestId), () => {
    socket.destroy();
  });
}
