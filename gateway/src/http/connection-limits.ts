import type { Server } from "node:http";
import type { Socket } from "node:net";

import type { Ids } from "@hostledger/runtime";
import proxyAddress from "proxy-addr";

import { refusalText } from "./client-error.ts";
import { networkOf } from "./client-network.ts";

/** What clients may hold open. */
export interface ConnectionLimits {
  /** Connections from one address, or from one /64 of IPv6; 0 sets no limit. */
  readonly perAddress: number;
  /** Networks (CIDR) whose connections are those of many clients: they are not counted. */
  readonly trustedProxies: readonly string[];
  /** A connection on which nothing has moved for so long while it has a request is cut, in milliseconds. */
  readonly stalledMs: number;
}

/** Longer than any answer takes, so that what is cut is a client that does not read its own. */
const usualStalledMs = 120_000;

/**
 * Keeps one client from taking all connections, or the memory of answers that it never reads: beyond its number it is told so
 * and left, and a connection that has stalled is cut.
 */
export function limitConnections(
  server: Server,
  {
    ids,
    perAddress = 0,
    trustedProxies = [],
    stalledMs = usualStalledMs,
  }: Partial<ConnectionLimits> & { readonly ids: Pick<Ids, "requestId"> },
): void {
  server.timeout = stalledMs;
  if (perAddress === 0) return;
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  const open = new Map<string, number>();
  // The server's own listener comes behind: no request of a connection that is refused may be carried out.
  const serve = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress, 0) || count(socket, networkOf(remoteAddress)))
      for (const each of serve) Reflect.apply(each, server, [socket]);
    else refuse(socket, ids.requestId());
  });

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
