import { once } from "node:events";
import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import {
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

import { defined, hostHeaderFault, realTiming } from "@hostledger/runtime";
import { afterThisTurn, FloodGate } from "@hostledger/runtime/async";

import type { RpcLogger } from "../interceptors/logger.port.ts";
import type { NodeTls } from "../tls/tls.ts";
import { refuseHost, refuseLate } from "./plain-answers.ts";
import { sniffProtocol } from "./protocol-sniffer.ts";

/** Answers a request of either version. */
export type HttpHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

/** Limits of a listener; times in milliseconds. */
export interface HttpLimits {
  readonly connections: number;
  /** On one HTTP/2 connection; more wait at the client. */
  readonly concurrentStreams: number;
  /** For a connection's first bytes, and for the headers of an HTTP/1.1 request. */
  readonly headerMs: number;
  /** For a request with its body, but those of HTTP/2 that are being answered meanwhile. */
  readonly requestMs: number;
  /** For a connection on which nothing happens. */
  readonly idleMs: number;
}

/** TLS options of a listener. With `ca`, clients need a certificate of that authority. */
export interface ListenerTls extends NodeTls {
  /** Told of connections that came to nothing. */
  readonly logger: RpcLogger;
}

/** HTTP/1.1 and HTTP/2 on one port, in clear text or over TLS. */
export class HttpListener {
  readonly #http1: Server | HttpsServer;
  readonly #http2: Http2Server;
  readonly #sockets = new Set<Socket>();
  /** Connections whose protocol is still unknown, or whose TLS handshake is running. */
  readonly #silent = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #gate = new FloodGate();
  #stopping = false;
  #closed: Promise<void> | undefined;
  readonly #closeIdleConnections = (): void => {
    this.#http1.closeIdleConnections();
  };

  constructor(handler: HttpHandler, limits: HttpLimits, tls?: ListenerTls) {
    const { headerMs, requestMs, idleMs } = limits;
    const options = {
      headersTimeout: headerMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      // Interval at which Node checks time limits of requests; its default of 30 s would extend short limits.
      connectionsCheckingInterval: Math.min(headerMs, 5000),
    };
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      // Otherwise the connection would be kept for a next request, which this server will not accept.
      if (this.#stopping) response.setHeader("connection", "close");
      response.once("close", () => {
        if (this.#stopping) afterThisTurn(this.#closeIdleConnections);
      });
      const fault = hostHeaderFault(request.rawHeaders);
      if (fault !== undefined) {
        response.setHeader("connection", "close");
        refuseHost(response, fault);
      } else handler(request, response);
    };
    this.#http1 =
      tls === undefined
        ? createHttp1Server(options, answer)
        : createHttpsServer({ ...options, ...secured(tls, headerMs) }, answer);
    const settings = { maxConcurrentStreams: limits.concurrentStreams };
    this.#http2 = createHttp2Server({ settings }, (request, response) => {
      // The client left before Node reported the request.
      if (request.stream.aborted) return;
      boundBody(request, response, requestMs);
      handler(request, response);
    });
    this.#http2.on("session", (session) => {
      this.#track(session, idleMs);
    });
    this.#http1.maxConnections = limits.connections;
    if (tls === undefined) this.#sniffConnections(headerMs);
    else this.#negotiateConnections(tls.logger);
  }

  /** @throws the system's error, for example EADDRINUSE. Answers the port, which differs from the one asked for when that is 0. */
  async listen(host: string, port: number): Promise<number> {
    this.#http1.listen({ host, port });
    await once(this.#http1, "listening");
    const address = this.#http1.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** Shows another certificate to those that connect from now on, and asks theirs of another authority. */
  renewTls({ cert, key, ca }: NodeTls): void {
    if ("setSecureContext" in this.#http1) this.#http1.setSecureContext({ cert, key, ...defined({ ca }) });
  }

  /** Asks connected clients to send their next requests elsewhere; still answers requests. */
  sendAway(): void {
    this.#stopping = true;
    for (const session of this.#sessions) session.close();
    this.#closeIdleConnections();
  }

  /**
   * Accepts nothing new; resolves after all running requests were answered and all connections closed. Safe to
   * repeat.
   */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  /** Cuts every connection. */
  destroy(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #close(): Promise<void> {
    const closed = once(this.#http1, "close");
    this.#http1.close();
    this.sendAway();
    for (const socket of this.#silent) socket.destroy();
    await closed;
  }

  #track(session: ServerHttp2Session, idleMs: number): void {
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    this.#gate.watch(session);
    // A graceful close: streams that are open but silent, such as a Watch, go on, and new ones use a new connection.
    session.setTimeout(idleMs, () => {
      session.close();
    });
  }

  /**
   * The HTTP/1.1 server owns the port, since its time limits work only on a server that listens itself. Its own listener
   * for connections is put behind the sniffer.
   */
  #sniffConnections(headerMs: number): void {
    const serveHttp1 = this.#http1.listeners("connection");
    this.#http1.removeAllListeners("connection");
    this.#http1.on("connection", (socket: Socket) => {
      this.#hold(socket);
      sniffProtocol(socket, headerMs, (protocol) => {
        this.#silent.delete(socket);
        if (protocol === "http1") {
          for (const serve of serveHttp1) Reflect.apply(serve, this.#http1, [socket]);
          return;
        }
        // An HTTP/1.1 server's sockets stay open when the client has said its last; a session's must close with it.
        socket.allowHalfOpen = false;
        this.#gate.admit(socket, () => this.#http2.emit("connection", socket));
      });
    });
  }

  /** TLS negotiates the protocol (ALPN); a client without ALPN uses HTTP/1.1. */
  #negotiateConnections(logger: RpcLogger): void {
    const serveHttp1 = this.#http1.listeners("secureConnection");
    this.#http1.removeAllListeners("secureConnection");
    const handshakes = new Map<string, Socket>();
    this.#http1.on("connection", (socket: Socket) => {
      const name = nameOf(socket);
      handshakes.set(name, socket);
      this.#hold(socket);
      socket.once("close", () => handshakes.delete(name));
    });
    this.#http1.on("secureConnection", (socket: TLSSocket) => {
      // The underlying connection has negotiated its protocol.
      const below = handshakes.get(nameOf(socket));
      if (below !== undefined) this.#silent.delete(below);
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      if (socket.alpnProtocol === "h2")
        this.#gate.admit(socket, () => this.#http2.emit("connection", socket));
      else for (const serve of serveHttp1) Reflect.apply(serve, this.#http1, [socket]);
    });
    this.#http1.on("tlsClientError", (error: Error, socket: TLSSocket) => {
      // A certificate that was not accepted ends in a plain ECONNRESET here; the reason is the socket's.
      const fields = { err: error, from: socket.remoteAddress, reason: socket.authorizationError };
      logger.info(fields, "a connection was refused at its TLS handshake");
    });
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    this.#silent.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#silent.delete(socket);
    });
  }
}

/**
 * Ends an HTTP/2 request whose body is late or outlasts its answer: the answer is sent, and the rest of the body is
 * not read. Reading the cut-off body fails, whereas Node would present its beginning as complete. For HTTP/1.1 Node
 * has its own limit.
 */
function boundBody(request: Http2ServerRequest, response: Http2ServerResponse, limitMs: number): void {
  const { stream } = request;
  if (stream.endAfterHeaders) return;
  const close = (): void => {
    if (!request.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  };
  const callOff = realTiming.after(limitMs, () => {
    if (!response.headersSent) refuseLate(response);
    else if (stream.writableFinished) close();
  });
  request.once("end", callOff);
  // The body of the answer has gone out, and its trailers go out in this turn.
  stream.once("wantTrailers", () => {
    afterThisTurn(close);
  });
  request.on("error", () => undefined);
  stream.once("aborted", () => {
    request.destroy(new Error("the client has cut off the request"));
  });
  stream.once("close", callOff);
}

function secured({ cert, key, ca }: ListenerTls, handshakeTimeout: number) {
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true };
  return { cert, key, ...clients, handshakeTimeout, ALPNProtocols: ["h2", "http/1.1"] };
}

/** Names a connection, which TLS has as another object than the system. */
function nameOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress}/${String(remotePort)}`;
}
