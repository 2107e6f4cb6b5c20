import type { Server } from "node:http";
import type { Socket } from "node:net";

import type { Ids } from "@hostledger/runtime";
import proxyAddress from "proxy-addr";

import { refusalText } from "./client-error.ts";
import { networkOf } from "./client-network.ts";
import { takeProxyHeader } from "./proxy-header.ts";
import type { GatewayLogger } from "./request-log.ts";

/** What clients may hold open. */
export interface ConnectionLimits {
  /** Connections from one address, or from one /64 of IPv6; 0 sets no limit. */
  readonly perAddress: number;
  /** Networks (CIDR) whose connections are those of many clients: they are not counted. */
  readonly trustedProxies: readonly string[];
  /** A connection on which nothing has moved for so long while it has a request is cut, in milliseconds. */
  readonly stalledMs: number;
  /** True where every connection of a trusted proxy begins with a header of the PROXY protocol; false where none does. */
  readonly proxyHeaders: boolean;
  /** For a whole header of that kind, in milliseconds. */
  readonly proxyHeaderMs: number;
}

/** Who counts connections and closes them. */
export interface ConnectionLimitOptions extends Partial<ConnectionLimits> {
  readonly ids: Pick<Ids, "requestId">;
  readonly logger: Pick<GatewayLogger, "info">;
}

/** Longer than any answer takes, so that what is cut is a client that does not read its own. */
const usualStalledMs = 120_000;

/** A proxy sends its header at once; this leaves time for a packet that has to be sent again. */
const usualProxyHeaderMs = 5_000;

/**
 * Keeps one client from taking all connections, or the memory of answers that it never reads: beyond its number it is told so
 * and left, and a connection that has stalled is cut. Trusted proxies, if they are to, say first whose connection it is.
 * @returns closes the connections that have not yet said so.
 */
export function limitConnections(server: Server, options: ConnectionLimitOptions): () => void {
  const { ids, logger, perAddress = 0, trustedProxies = [], proxyHeaders = false } = options;
  server.timeout = options.stalledMs ?? usualStalledMs;
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  const open = new Map<string, number>();
  const unnamed = new Set<Socket>();
  // The server's own listener comes behind: no request of a connection that is refused may be carried out.
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
  // Whoever is gone already does not hear it.
  socket.on("error", () => undefined);
  socket.end(refusalText({ status: 503, rejection: { code: "overloaded", message } }, requestId), () => {
    socket.destroy();
  });
}
