import type { Socket } from "node:net";

import { realTiming } from "@hostledger/runtime/async";

/** Versions of HTTP that a clear-text port distinguishes by a connection's first bytes. */
export type SniffedProtocol = "http1" | "http2";

/** An HTTP/2 connection with prior knowledge begins `PRI * HTTP/2.0` (RFC 9113 §3.4); no method of HTTP/1.1 does. */
const http2Preface = "PRI";

/**
 * Passes a new connection on after its first bytes show its protocol. A connection that sends nothing in time, or
 * ends earlier, is closed.
 */
export function sniffProtocol(
  socket: Socket,
  timeoutMs: number,
  accept: (protocol: SniffedProtocol, socket: Socket) => void,
): void {
  const giveUp = (): void => {
    socket.destroy();
  };
  const onReadable = (): void => {
    // `read` returns null until so many bytes are available, or the available bytes if no more will come.
    const head: unknown = socket.read(http2Preface.length);
    if (!Buffer.isBuffer(head)) return;
    socket.off("readable", onReadable).off("error", giveUp).off("end", giveUp);
    callOff();
    socket.unshift(head);
    accept(head.toString("latin1") === http2Preface ? "http2" : "http1", socket);
  };
  // Not the socket's own idle timer, which a client could keep going with a byte now and then.
  const callOff = realTiming.after(timeoutMs, giveUp);
  socket.once("close", callOff);
  socket.on("readable", onReadable).on("error", giveUp).on("end", giveUp);
}
