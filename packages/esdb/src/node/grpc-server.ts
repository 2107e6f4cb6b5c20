import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";

import { status, type MethodDefinition } from "@grpc/grpc-js";
import { FloodGate, realTiming } from "@hostledger/runtime/async";

import { Refusal } from "../codec/refusal.ts";
import { toServiceError } from "./failure.ts";
import { GrpcCall } from "./grpc-call.ts";

/** Maximum concurrent calls of one connection. */
const concurrentCalls = 1_024;
/** Maximum bytes that a client may send ahead on one call. */
const windowBytes = 1_048_576;
/** Maximum memory of one connection in megabytes, for the waiting data of all its calls. */
const sessionMegabytes = 256;
/** Milliseconds of silence after which TCP checks the client. */
const keepAliveMilliseconds = 30_000;

/** PEM texts of a certificate and its key. */
export interface ServerTls {
  readonly certificate: string;
  readonly key: string;
}

type Route = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/**
 * A gRPC server on Node's HTTP/2 for calls with many small answers. It accepts uncompressed messages and leaves
 * deadlines to clients: a client cancels its call at the deadline. It stays because the server of `@grpc/grpc-js`
 * hides its sessions, which the flood gate watches, and makes an HTTP/2 frame of each message.
 */
export class GrpcServer {
  readonly #server: Http2Server | Http2SecureServer;
  readonly #routes = new Map<string, Route>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #gate = new FloodGate();

  /** @throws Error if a certificate or key cannot be read. */
  constructor(tls: ServerTls | undefined) {
    const settings = { maxConcurrentStreams: concurrentCalls, initialWindowSize: windowBytes };
    const options = { settings, maxSessionMemory: sessionMegabytes };
    this.#server =
      tls === undefined
        ? createServer(options)
        : createSecureServer({ ...options, cert: tls.certificate, key: tls.key });
    this.#gateConnections(tls === undefined ? "connection" : "secureConnection");
    this.#server.on("connection", (socket: Socket) => {
      socket.setKeepAlive(true, keepAliveMilliseconds);
    });
    this.#server.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      this.#gate.watch(session);
      session.setLocalWindowSize(8 * windowBytes);
      session.on("close", () => this.#sessions.delete(session));
    });
    this.#server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      this.#route(stream, headers);
    });
    // A broken connection ends its calls, which report the error; the server ignores it.
    this.#server.on("sessionError", () => undefined);
  }

  /** Puts the flood gate before Node's own listener for connections. */
  #gateConnections(event: "connection" | "secureConnection"): void {
    const serve = this.#server.listeners(event);
    this.#server.removeAllListeners(event);
    this.#server.on(event, (socket: Socket) => {
      this.#gate.admit(socket, () => {
        for (const listener of serve) Reflect.apply(listener, this.#server, [socket]);
      });
    });
  }

  /** Uses another certificate for new connections. @throws Error if it cannot be read, or there was none. */
  renewTls({ certificate, key }: ServerTls): void {
    if (!("setSecureContext" in this.#server)) throw new Error("a server in clear text has no certificate");
    this.#server.setSecureContext({ cert: certificate, key });
  }

  /** Registers the handler of a method. An error of `answer` ends the call as `failure` converts it. */
  serve<Request, Response>(
    method: MethodDefinition<Request, Response>,
    answer: (call: GrpcCall<Request, Response>) => Promise<void>,
    failure: (error: unknown) => ReturnType<typeof toServiceError>,
  ): void {
    this.#routes.set(method.path, (stream, headers) => {
      const call = new GrpcCall(method, stream, headers);
      answer(call).then(
        () => {
          call.succeed();
        },
        (error: unknown) => {
          if (!call.cancelled) call.fail(failure(error));
        },
      );
    });
  }

  /** @returns the port. @throws Error if the address is unavailable. */
  listen(host: string, port: number): Promise<number> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.off("error", reject);
        server.on("error", () => undefined);
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : port);
      });
    });
  }

  /** Accepts no new calls, lets the others end, and cancels calls that take too long. */
  close(graceMilliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = realTiming.after(graceMilliseconds, () => {
        for (const session of this.#sessions) session.destroy();
      });
      this.#server.close(() => {
        callOff();
        resolve();
      });
      for (const session of this.#sessions) session.close();
    });
  }

  #route(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    if (headers["content-type"]?.startsWith("application/grpc") !== true) {
      stream.on("error", () => undefined);
      stream.respond({ ":status": 415 }, { endStream: true });
      stream.resume();
      return;
    }
    const route = this.#routes.get(headers[":path"] ?? "") ?? unknownMethod;
    route(stream, headers);
  }
}

/** Answers an unknown method in gRPC's own form. */
function unknownMethod(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const nothing = {
    path: headers[":path"] ?? "",
    requestStream: false,
    responseStream: false,
    requestSerialize: () => Buffer.alloc(0),
    requestDeserialize: () => undefined,
    responseSerialize: () => Buffer.alloc(0),
    responseDeserialize: () => undefined,
  };
  const call = new GrpcCall(nothing, stream, headers);
  call.fail(toServiceError(new Refusal(status.UNIMPLEMENTED, "this node does not serve this method")));
}
