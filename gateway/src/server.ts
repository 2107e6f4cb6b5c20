import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";

import { defined, realTiming } from "@hostledger/runtime";
import { errorCodeOf } from "@hostledger/runtime/error-code";
import type { Express } from "express";

import {
  apiPrefix,
  createGateway,
  createWaitingGateway,
  type GatewayOptions,
  type WaitingGatewayOptions,
} from "./gateway.ts";
import { answerClientError } from "./http/client-error.ts";
import { type ConnectionLimits, limitConnections } from "./http/connection-limits.ts";
import { requestIdOf } from "./http/gateway-context.ts";

interface Place {
  /** Host name or address of this machine. */
  readonly host: string;
  /** TCP port; 0 takes a free port. */
  readonly port: number;
  readonly connections?: Partial<ConnectionLimits>;
}

export interface StartGatewayOptions extends GatewayOptions, Place {}

export interface StartHttpOptions extends Place {
  readonly handle: RequestListener;
  /** Creates request ids for unparsable requests. */
  readonly ids: GatewayOptions["ids"];
  readonly logger: Pick<GatewayOptions["logger"], "info">;
  /** Classes of requests and responses. Default: Node's own. */
  readonly messages?: Pick<ExpressMessages, "IncomingMessage" | "ServerResponse">;
}

export interface RunningHttp {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting connections, finishes running requests, and asks clients to close their connections.
   * @param graceMs milliseconds after which remaining connections are closed.
   * @param lingerMs milliseconds for which idle connections stay open too; each gets one more answer with
   * `Connection: close`. Otherwise a client that sends its next request now would find a closed connection. Default:
   * 0.
   */
  close(graceMs: number, lingerMs?: number): Promise<void>;
}

/** A running gateway. Its `url` is the API's base, such as `http://127.0.0.1:8080/api/v1`. */
export type RunningGateway = RunningHttp;

// Limits every wait, because slow requests and unused connections take memory.
const headersTimeoutMs = 10_000;
const receiveTimeoutMs = 30_000;
// Longer than the usual 60 s of load balancers, so that the balancer closes idle connections first.
const keepAliveTimeoutMs = 65_000;
const timeoutCheckIntervalMs = 5_000;
const maximumHeaderBytes = 16 * 1024;
const maximumConnections = 10_000;
// Allows a thousand clients to connect at once; with Node's default of 511 some would have to retry.
const acceptBacklog = 4_096;

/** Adds an `X-Request-Id` to every answer of a handler, like the REST API. */
export function withRequestId(
  handle: RequestListener,
  ids: Pick<GatewayOptions["ids"], "requestId">,
): RequestListener {
  return (request, response) => {
    response.setHeader("X-Request-Id", requestIdOf(request, ids));
    handle(request, response);
  };
}

/** A gateway that listens before its services have started. */
export interface WaitingGateway extends RunningGateway {
  /** Starts serving. Until then requests get 503 and `/readyz` is not ready. Call once. */
  serve(options: GatewayOptions): void;
}

/**
 * Listens before the services have started. `/readyz` is not ready before `serve` and after `close`, whatever the
 * services report.
 * @throws Error with a sentence for the operator if it cannot listen.
 */
export async function openGateway(options: WaitingGatewayOptions & Place): Promise<WaitingGateway> {
  const { host, port, ids, logger } = options;
  let phase: "starting" | "serving" | "stopping" = "starting";
  const truthful = (readiness: GatewayOptions["readiness"]) => async (): ReturnType<typeof readiness> => {
    const { ready } = await readiness();
    return phase === "serving" ? { ready } : { ready: false, phase };
  };
  const messages = createExpressMessages();
  let handle = createWaitingGateway({ ids, logger, readiness: truthful(options.readiness) });
  messages.belongTo(handle);
  const running = await startHttp({
    host,
    port,
    ids,
    logger,
    messages,
    ...defined({ connections: options.connections }),
    handle: (request, response) => {
      request.url = pathOf(request.url ?? "/");
      handle(request, response);
    },
  });
  return {
    ...running,
    url: `${running.url}${apiPrefix}`,
    serve(served) {
      // A shutdown may precede the end of a slow start.
      if (phase !== "starting") return;
      handle = createGateway({ ...served, readiness: truthful(served.readiness) });
      messages.belongTo(handle);
      phase = "serving";
    },
    close(graceMs, lingerMs) {
      phase = "stopping";
      return running.close(graceMs, lingerMs);
    },
  };
}

/** Returns the path of an absolute-form target (RFC 9112 §3.2.2), because Express cannot route absolute URLs. */
function pathOf(target: string): string {
  const [, path] = /^[a-z][a-z\d+.-]*:\/\/[^/?]*(.*)$/iu.exec(target) ?? [];
  if (path === undefined) return target;
  // `http://` and `http://a:b/` are invalid URLs, so they must not be routed to `/`.
  if (!URL.canParse(target)) return "/-";
  return path.startsWith("/") ? path : `/${path}`;
}

/** Starts the REST API over HTTP/1.1. @throws Error with a sentence for the operator if it cannot listen. */
export async function startGateway(options: StartGatewayOptions): Promise<RunningGateway> {
  const gateway = await openGateway(options);
  gateway.serve(options);
  return gateway;
}

/** Listens over HTTP/1.1 with time limits. @throws Error with a sentence for the operator if it cannot listen. */
export async function startHttp(options: StartHttpOptions): Promise<RunningHttp> {
  const open = new Set<ServerResponse>();
  /** Bytes written to a connection at the end of its last answer. */
  const answered = new WeakMap<Duplex, number>();
  let isClosing = false;
  const handle: RequestListener = (request, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    const { socket } = request;
    // Runs before Node's own listener, which begins the next answer.
    response.prependOnceListener("finish", () => answered.set(socket, socket.bytesWritten));
    // Node then sends `Connection: close` and closes the connection after the answer.
    if (isClosing) response.shouldKeepAlive = false;
    options.handle(request, response);
  };

  const server = createServer(
    {
      ...options.messages,
      headersTimeout: headersTimeoutMs,
      requestTimeout: receiveTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: timeoutCheckIntervalMs,
      maxHeaderSize: maximumHeaderBytes,
      // The handler refuses a missing Host itself, because Node's answer has no body and no request id.
      requireHostHeader: false,
    },
    handle,
  );
  server.on("checkExpectation", handle);
  server.maxConnections = maximumConnections;
  const cutUnnamed = limitConnections(server, {
    ids: options.ids,
    logger: options.logger,
    ...options.connections,
  });
  server.on("clientError", (error, socket) => {
    const isAnswering = "bytesWritten" in socket && socket.bytesWritten !== (answered.get(socket) ?? 0);
    answerClientError(error, { socket, isAnswering }, options.ids.requestId());
  });
  const { host } = options;
  const port = await listen(server, host, options.port);
  return {
    port,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${String(port)}`,
    close(graceMs, lingerMs = 0) {
      isClosing = true;
      for (const response of open) response.shouldKeepAlive = false;
      cutUnnamed();
      return closeWithin(server, graceMs, lingerMs);
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      reject(new Error(listenSentence(error, host, port), { cause: error }));
    };
    server.once("error", refuse);
    server.listen({ host, port, backlog: acceptBacklog }, () => {
      server.off("error", refuse);
      resolve(portOf(server.address()));
    });
  });
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== "object" || address === null) throw new Error("a listening TCP server has a port");
  return address.port;
}

function listenSentence(error: Error, host: string, port: number): string {
  const place = `${host}, port ${String(port)}`;
  switch (errorCodeOf(error)) {
    case "EADDRINUSE":
      return `Cannot listen on ${place}: another program uses the port. Stop it, or choose another with --port.`;
    case "EACCES":
      return `Cannot listen on ${place}: this user may not use the port. Choose one from 1024 on with --port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `Cannot listen on ${place}: this machine has no such address. Choose another with --host.`;
    default:
      return `Cannot listen on ${place}: ${error.message}.`;
  }
}

function closeWithin(server: Server, graceMs: number, lingerMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stayOn = realTiming.after(lingerMs, () => {
      server.closeIdleConnections();
    });
    const spare = realTiming.after(graceMs, () => {
      server.closeAllConnections();
    });
    const closed = (): void => {
      stayOn();
      spare();
      resolve();
    };
    // An HTTP server's own `close` also closes idle connections at once; that of its parent class only stops listening.
    if (lingerMs > 0) NetServer.prototype.close.call(server, closed);
    else server.close(closed);
  });
}

/** Message classes for `createServer`. */
interface ExpressMessages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** Sets the prototypes of an app's request and response. */
  belongTo(app: Express): void;
}

/** Creates message classes with Express's prototypes; replacing prototypes per message costs more than routing. */
export function createExpressMessages(): ExpressMessages {
  class Incoming extends IncomingMessage {}
  class Outgoing<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  return {
    IncomingMessage: Incoming,
    ServerResponse: Outgoing,
    belongTo(app) {
      Object.setPrototypeOf(Incoming.prototype, app.request);
      Object.setPrototypeOf(Outgoing.prototype, app.response);
      Object.assign(app, { request: Incoming.prototype, response: Outgoing.prototype });
    },
  };
}
