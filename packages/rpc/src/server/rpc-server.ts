import { setTimeout as delay } from "node:timers/promises";

import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { health as healthContract } from "@hostledger/protocol";

import type { RpcLogger } from "../interceptors/logger.port.ts";
import type { ServiceImplementation } from "../transport/implement.ts";
import type { Health } from "./health.ts";
import { healthService } from "./health.service.ts";
import { HttpListener, type HttpLimits } from "./http-listener.ts";
import { reflectionServices } from "./reflection.service.ts";

/** Limits of an RPC server. */
export interface RpcServerLimits extends HttpLimits {
  /** The largest request message, in bytes after decompression. */
  readonly messageBytes: number;
}

/** What holds where nothing else is said. */
export const defaultRpcServerLimits: RpcServerLimits = {
  connections: 1024,
  concurrentStreams: 1024,
  headerMs: 10_000,
  requestMs: 60_000,
  idleMs: 120_000,
  messageBytes: 1_048_576,
};

/** Options of `startRpcServer`. */
export interface RpcServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly services: readonly ServiceImplementation[];
  /** Of the services; health and reflection answer everyone. */
  readonly interceptors: readonly Interceptor[];
  readonly health: Health;
  readonly logger: RpcLogger;
  readonly limits?: Partial<RpcServerLimits>;
}

/** A running server. */
export interface RpcServer {
  readonly url: string;
  readonly port: number;
  /** Takes no new call, lets running ones finish for at most that time, then cuts them. Safe to repeat. */
  close(graceMs: number): Promise<void>;
}

/**
 * Serves Connect, gRPC and gRPC-Web over HTTP/1.1 and HTTP/2 (clear text, prior knowledge) on one port, with
 * `grpc.health.v1` and `grpc.reflection.v1`. Each service is reported as serving from now to the close; the process as a
 * whole is the caller's to report.
 *
 * @throws the system's error when the port cannot be had, for example EADDRINUSE.
 */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, services, health, logger } = options;
  const stopping = new AbortController();
  const cut = new AbortController();
  const listener = listenerOf(options, { stopping: stopping.signal, cut: cut.signal });
  const port = await listener.listen(host, options.port);
  const names = services.map(({ service }) => service.typeName);
  for (const name of names) health.set(name, "serving");
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${String(port)}`;
  logger.info({ url, services: names }, "rpc server listens");

  async function stop(graceMs: number): Promise<void> {
    for (const name of names) health.set(name, "not-serving");
    stopping.abort();
    const closed = listener.close();
    const patience = new AbortController();
    const inTime = closed.then(() => true);
    const tooLate = delay(graceMs, false, { signal: patience.signal }).catch(() => false);
    if (!(await Promise.race([inTime, tooLate]))) {
      logger.info({ url, graceMs }, "rpc server cuts the calls that still run");
      cut.abort(new ConnectError("the server is stopping", Code.Unavailable));
      listener.destroy();
    }
    patience.abort();
    await closed;
  }

  let stopped: Promise<void> | undefined;
  return { url, port, close: (graceMs) => (stopped ??= stop(graceMs)) };
}

function listenerOf(
  { services, interceptors, health, limits }: RpcServerOptions,
  signals: { readonly stopping: AbortSignal; readonly cut: AbortSignal },
): HttpListener {
  const { messageBytes, ...httpLimits } = { ...defaultRpcServerLimits, ...limits };
  const described = [...services.map(({ service }) => service), healthContract.Health];
  const open = [healthService(health, signals.stopping), ...reflectionServices(described)];
  const handler = connectNodeAdapter({
    readMaxBytes: messageBytes,
    shutdownSignal: signals.cut,
    routes(router) {
      for (const service of services) service.register(router, { interceptors: [...interceptors] });
      for (const service of open) service.register(router);
    },
  });
  return new HttpListener(handler, httpLimits);
}
