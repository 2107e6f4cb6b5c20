import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

import { defined, realTiming } from "@hostledger/runtime";
import { errorCodeOf } from "@hostledger/runtime/error-code";

import {
  apiPrefix,
  createGateway,
  createWaitingGateway,
  type GatewayOptions,
  type WaitingGatewayOptions,
} from "./gateway.ts";
import { answerClientError } from "./http/client-error.ts";
import { limitConnections, type ConnectionLimits } from "./http/connection-limits.ts";
import { createExpressMessages, type ExpressMessages } from "./http/express-messages.ts";
import { requestIdOf } from "./http/gateway-context.ts";

/** Where it listens. */
interface Place {
  /** A name or an address of this machine. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What clients may hold open. */
  readonly connections?: Partial<ConnectionLimits>;
}

/** A gateway and where it listens. */
export interface StartGatewayOptions extends GatewayOptions, Place {}

/** An HTTP listener of ours, with its limits. */
export interface StartHttpOptions extends Place {
  readonly handle: RequestListener;
  /** Names requests that are none, for whoever looks for them. */
  readonly ids: GatewayOptions["ids"];
  readonly logger: Pick<GatewayOptions["logger"], "info">;
  /** What requests and responses are made of. Default: Node's own. */
  readonly messages?: Pick<ExpressMessages, "IncomingMessage" | "ServerResponse">;
}

/** What listens. */
export interface RunningHttp {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no new connection, lets running requests finish, and tells clients to close theirs.
   * @param graceMs after so many milliseconds the connections that are left are cut.
   * @param lingerMs for so long, connections without a request are kept as well: each gets one more answer, which says that
   * it is the last. Without it a client that sends its next request at this moment finds the connection gone. Default: 0.
   */
  close(graceMs: number, lingerMs?: number): Promise<void>;
}

/** A gateway that listens. Its `url` is the API's base, for example `http://127.0.0.1:8080/api/v1`. */
export type RunningGateway = RunningHttp;

// Every wait has a limit: a client that dribbles its request, or holds a connection it does not use, costs memory.
const headersTimeoutMs = 10_000;
const receiveTimeoutMs = 30_000;
// Longer than the 60 s that common load balancers keep a connection, so that the balancer closes it and not we.
const keepAliveTimeoutMs = 65_000;
const timeoutCheckIntervalMs = 5_000;
const maximumHeaderBytes = 16 * 1024;
const maximumConnections = 10_000;
// A thousand clients may connect in one moment; Node's 511 would make some of them wait and retry.
const acceptBacklog = 4_096;

/** Gives every answer of a handler an `X-Request-Id`, as the REST API's have. */
export function withRequestId(
  handle: RequestListener,
  ids: Pick<GatewayOptions["ids"], "requestId">,
): RequestListener {
  return (request, response) => {
    response.setHeader("X-Request-Id", requestIdOf(request, ids));
    handle(request, response);
  };
}

/** A gateway that listens before its services are there. */
export interface WaitingGateway extends RunningGateway {
  /** Hands the services over, once; until then every request is refused with 503 and `/readyz` says no. */
  serve(options: GatewayOptions): void;
}

/**
 * Listens for the REST API before there is one. Before it serves and from its close on, `/readyz` says that it is not ready,
 * whatever the parts say.
 * @throws Error with a sentence for the operator when it cannot listen.
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
      // A shutdown may overtake a slow start.
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

/** The path of a target in absolute form (RFC 9112 §3.2.2): Express calls no handler for an address that it cannot take apart. */
function pathOf(target: string): string {
  const [, path] = /^[a-z][a-z\d+.-]*:\/\/[^/?]*(.*)$/iu.exec(target) ?? [];
  if (path === undefined) return target;
  // `http://` and `http://a:b/` are no URLs: their path leads nowhere, and not to `/`.
  if (!URL.canParse(target)) return "/-";
  return path.startsWith("/") ? path : `/${path}`;
}

/** Starts the REST API over HTTP/1.1. @throws Error with a sentence for the operator when it cannot listen. */
export async function startGateway(options: StartGatewayOptions): Promise<RunningGateway> {
  const gateway = await openGateway(options);
  gateway.serve(options);
  return gateway;
}

/** Listens over HTTP/1.1 with a limit on every wait. @throws Error with a sentence for the operator when it cannot. */
export async function startHttp(options: StartHttpOptions): Promise<RunningHttp> {
  const open = new Set<ServerResponse>();
  /** What was written to a connection when its last answer was whole. */
  const answered = new WeakMap<Duplex, number>();
  let isClosing = false;
  const handle: RequestListener = (request, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    const { socket } = request;
    // Before Node's own listener, which begins with the next answer.
    response.prependOnceListener("finish", () => answered.set(socket, socket.bytesWritten));
    // Without keep-alive, Node sends `Connection: close` and ends the connection after the answer.
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
      // Whoever handles the request says what is wrong with it; Node's own answer has no body and no request id.
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
    // An HTTP server's own `close` also ends what is idle, at once; the one below it only stops listening.
    if (lingerMs > 0) NetServer.prototype.close.call(server, closed);
    else server.close(closed);
  });
}
