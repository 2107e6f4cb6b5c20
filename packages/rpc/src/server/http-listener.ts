import { once } from "node:events";
import { createServer as createHttp1Server } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

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
  /** For an HTTP/1.1 request with its body. */
  readonly requestMs: number;
  /** For a connection on which nothing happens. */
  readonly idleMs: number;
}

/** HTTP/1.1 and HTTP/2 in clear text on one port. */
export class HttpListener {
  readonly #http1: Server;
  readonly #http2: Http2Server;
  readonly #sockets = new Set<Socket>();
  /** Those that have not yet said which protocol they speak. */
  readonly #silent = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #stopping = false;
  readonly #closeIdleConnections = (): void => {
    this.#http1.closeIdleConnections();
  };

  constructor(handler: HttpHandler, limits: HttpLimits) {
    const { headerMs, requestMs, idleMs } = limits;
    this.#http1 = createHttp1Server(
      {
        headersTimeout: headerMs,
        requestTimeout: requestMs,
        keepAliveTimeout: idleMs,
        // Time limits of requests are looked at this often only; Node's 30 s would make short ones long.
        connectionsCheckingInterval: Math.min(headerMs, 5000),
      },
      (request, response) => {
        response.once("close", () => {
          // Its connection would be kept alive for a next request that this server will not take.
          if (this.#stopping) setImmediate(this.#closeIdleConnections);
        });
        handler(request, response);
      },
    );
    this.#http2 = createHttp2Server(
      { settings: { maxConcurrentStreams: limits.concurrentStreams } },
      handler,
    );
    this.#http2.on("session", (session) => {
      this.#track(session, idleMs);
    });
    this.#http1.maxConnections = limits.connections;
    this.#sniffConnections(headerMs);
  }

  /** @throws the system's error, for example EADDRINUSE. Answers the port, which differs from the one asked for when that is 0. */
  async listen(host: string, port: number): Promise<number> {
    this.#http1.listen({ host, port });
    await once(this.#http1, "listening");
    const address = this.#http1.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** Takes nothing new, and settles when everything that runs has been answered and every connection is closed. */
  async close(): Promise<void> {
    this.#stopping = true;
    const closed = once(this.#http1, "close");
    this.#http1.close();
    for (const session of this.#sessions) session.close();
    for (const socket of this.#silent) socket.destroy();
    await closed;
  }

  /** Cuts every connection. */
  destroy(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #track(session: ServerHttp2Session, idleMs: number): void {
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
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
      this.#sockets.add(socket);
      this.#silent.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#silent.delete(socket);
      });
      sniffProtocol(socket, headerMs, (protocol) => {
        this.#silent.delete(socket);
        if (protocol === "http1") {
          for (const serve of serveHttp1) Reflect.apply(serve, this.#http1, [socket]);
          return;
        }
        // An HTTP/1.1 server's sockets stay open when the client has said its last; a session's must close with it.
        socket.allowHalfOpen = false;
        this.#http2.emit("connection", socket);
      });
    });
  }
}
