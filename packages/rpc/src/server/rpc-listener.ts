import { Code, ConnectError, createContextValues, type Interceptor } from "@connectrpc/connect";
import { health as healthContract } from "@hostledger/protocol";
import { within } from "@hostledger/runtime/async";

import { type CountFailure, countFailureKey, tokenPrefixOf } from "../interceptors/failed-authentications.ts";
import type { RpcLogger } from "../interceptors/logger.port.ts";
import { checkedTls, type RpcTls } from "../tls/tls.ts";
import { route, type ServiceImplementation } from "../transport/implement.ts";
import { connectHandler } from "./connect-handler.ts";
import { createHealth, type Health } from "./health.ts";
import { healthService } from "./health.service.ts";
import { metricsAccess } from "./metrics-access.ts";
import { answersMetrics, type MetricsPage } from "./metrics-page.ts";
import { type HttpHandler, type HttpLimits, HttpListener } from "./http-listener.ts";
import {
  answersItself,
  type AnyRequest,
  type AnyResponse,
  refuseCall,
  refuseUnknown,
} from "./plain-answers.ts";
import { type ListenerPhase, type Readiness, readinessIn } from "./readiness.ts";
import { reflectionServices } from "./reflection.service.ts";

export interface RpcServerLimits extends HttpLimits {
  /** The largest request message, in bytes after decompression. */
  readonly messageBytes: number;
}

/** Default limits. */
export const defaultRpcServerLimits: RpcServerLimits = {
  connections: 1024,
  concurrentStreams: 1024,
  headerMs: 10_000,
  requestMs: 60_000,
  idleMs: 120_000,
  messageBytes: 1_048_576,
};

/** Options of `openRpcListener`. */
export interface RpcListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly logger: RpcLogger;
  /** For `https`; with `ca`, a client without a certificate of that authority is not let in. Without it: clear text. */
  readonly tls?: RpcTls;
  /** Readiness for `/readyz` (part names only for readers of the metrics) and for `grpc.health.v1` of all services. */
  readonly readiness?: () => Promise<Readiness>;
  /** State for `grpc.health.v1`; with `readiness`, each request updates it. */
  readonly health?: Health;
  readonly limits?: Partial<RpcServerLimits>;
  /** Shown at `/metrics`, from the first moment on; without it there is no such path. */
  readonly metricsPage?: MetricsPage;
  /** The page at `/`, which holds no secret; without it there is no such path. */
  readonly home?: () => string;
  /** Limits failed authentications of staff's calls and of metrics requests. Default: they are not counted. */
  readonly countFailure?: CountFailure | undefined;
}

export interface Served {
  readonly services: readonly ServiceImplementation[];
  /** Of the services; health and reflection answer everyone. */
  readonly interceptors: readonly Interceptor[];
}

export interface RpcServer {
  readonly url: string;
  readonly port: number;
  /**
   * Shows another certificate to those that connect from now on. A listener in clear text stays so.
   * @throws TlsError it cannot be used; the one before stays.
   */
  renewTls(tls: RpcTls): void;
  /**
   * Accepts no new calls, lets running ones finish within the given time, then ends them. Meanwhile `/readyz` says
   * that it stops, and HTTP/2 peers are sent elsewhere. Safe to repeat.
   */
  close(graceMs: number): Promise<void>;
}

/** A listener that may be there before its services. */
export interface RpcListener extends RpcServer {
  /** Hands the services over, once; until then every call is refused as Unavailable, and health and readiness say so. */
  serve(served: Served): void;
}

/**
 * Listens for Connect, gRPC and gRPC-Web over HTTP/1.1 and HTTP/2 on one port, in clear text (HTTP/2 with prior knowledge)
 * or over TLS, with `GET /healthz`, `GET /readyz`, `grpc.health.v1` and, as soon as there are services,
 * `grpc.reflection.v1`.
 *
 * @throws the system's error when the port cannot be had, for example EADDRINUSE. @throws TlsError
 */
export async function openRpcListener(options: RpcListenerOptions): Promise<RpcListener> {
  const listener = new Listener(options);
  await listener.listen(options.host, options.port);
  return {
    url: listener.url,
    port: listener.port,
    serve: (served) => {
      listener.serve(served);
    },
    renewTls: (tls) => {
      listener.renewTls(tls);
    },
    close: (graceMs) => listener.close(graceMs),
  };
}

class Listener {
  url = "";
  port = 0;
  readonly #options: RpcListenerOptions;
  readonly #http: HttpListener;
  readonly #health: Health;
  readonly #calls = new RunningCalls();
  readonly #stopping = new AbortController();
  readonly #cut = new AbortController();
  #phase: ListenerPhase = "starting";
  #handler: HttpHandler;
  #names: readonly string[] = [];
  #closed: Promise<void> | undefined;

  constructor(options: RpcListenerOptions) {
    const { tls, limits, health = createHealth() } = options;
    this.#options = options;
    this.#health = health;
    this.#handler = this.#handlerOf({ services: [], interceptors: [] });
    const { headerMs, requestMs, idleMs, connections, concurrentStreams } = {
      ...defaultRpcServerLimits,
      ...limits,
    };
    this.#http = new HttpListener(
      (request, response) => {
        this.#answer(request, response);
      },
      { headerMs, requestMs, idleMs, connections, concurrentStreams },
      tls === undefined ? undefined : { ...checkedTls(tls), logger: options.logger },
    );
  }

  #answer(...[request, response]: Parameters<HttpHandler>): void {
    const { metricsPage: page, countFailure, home, logger } = this.#options;
    const access = () => metricsAccess(request, { readers: page, countFailure, logger });
    const own = { phase: this.#phase, home, access, readiness: () => this.#readiness() };
    if (answersItself(request, response, own)) return;
    if (answersMetrics(request, response, { page, logger, access })) return;
    if (this.#phase === "stopping") {
      refuseCall(response, "stopping");
      return;
    }
    this.#calls.count(response);
    this.#handler(request, response);
  }

  async listen(host: string, port: number): Promise<void> {
    this.port = await this.#http.listen(host, port);
    const scheme = this.#options.tls === undefined ? "http" : "https";
    this.url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${String(this.port)}`;
    this.#options.logger.info({ url: this.url }, "rpc server listens");
  }

  renewTls(tls: RpcTls): void {
    this.#http.renewTls(checkedTls(tls));
  }

  serve(served: Served): void {
    if (this.#phase === "serving") throw new Error("the listener serves already");
    // A shutdown may overtake a slow start.
    if (this.#phase === "stopping") return;
    this.#phase = "serving";
    this.#handler = this.#handlerOf(served);
    this.#names = served.services.map(({ service }) => service.typeName);
    for (const name of this.#names) this.#health.set(name, "serving");
    this.#options.logger.info({ url: this.url, services: this.#names }, "rpc server takes calls");
  }

  close(graceMs: number): Promise<void> {
    return (this.#closed ??= this.#stop(graceMs));
  }

  async #stop(graceMs: number): Promise<void> {
    this.#phase = "stopping";
    for (const name of ["", ...this.#names]) this.#health.set(name, "not-serving");
    this.#stopping.abort();
    this.#http.sendAway();
    const inTime = this.#calls
      .finished()
      .then(() => this.#http.close())
      .then(() => true);
    if (!(await within(graceMs, inTime, () => false))) {
      this.#options.logger.info({ url: this.url, graceMs }, "rpc server cuts the calls that still run");
      this.#cut.abort(new ConnectError("the server is stopping", Code.Unavailable));
      void this.#http.close();
      this.#http.destroy();
    }
    await this.#http.close();
  }

  async #readiness(): Promise<Readiness> {
    const { readiness = () => Promise.resolve({ ready: true, parts: {} }), logger } = this.#options;
    return readinessIn(this.#phase, readiness, logger);
  }

  async #announceHealth(): Promise<void> {
    if (this.#options.readiness === undefined) return;
    const { ready } = await this.#readiness();
    for (const name of ["", ...this.#names]) this.#health.set(name, ready ? "serving" : "not-serving");
  }

  #handlerOf({ services, interceptors }: Served): HttpHandler {
    const { countFailure, limits } = this.#options;
    const described = [...services.map(({ service }) => service), healthContract.Health];
    const health = healthService(this.#health, this.#stopping.signal, () => this.#announceHealth());
    const isStarting = this.#phase === "starting";
    const open = isStarting ? [health] : [health, ...reflectionServices(described)];
    return connectHandler({
      readMaxBytes: limits?.messageBytes ?? defaultRpcServerLimits.messageBytes,
      shutdownSignal: this.#cut.signal,
      contextValues: (origin) =>
        createContextValues().set(countFailureKey, (authorization) =>
          Promise.resolve(countFailure?.(origin, tokenPrefixOf(authorization))),
        ),
      // Otherwise a misspelt field would be missing in a charge.
      jsonOptions: { ignoreUnknownFields: false },
      routes(router) {
        route(router, services, interceptors);
        route(router, open);
      },
      fallback: isStarting ? refuseWhileStarting : refuseUnknown,
    });
  }
}

function refuseWhileStarting(_request: AnyRequest, response: AnyResponse): void {
  refuseCall(response, "starting");
}

/** The response of a call: closes when the call has been answered, or cannot be any more. */
type Closing = Pick<AnyResponse, "once">;

/** The calls that a listener is answering. */
class RunningCalls {
  readonly #running = new Set<Closing>();
  readonly #waiting: (() => void)[] = [];

  /** Counts a call until that is closed, however it ends. */
  count(call: Closing): void {
    this.#running.add(call);
    call.once("close", () => {
      this.#running.delete(call);
      if (this.#running.size > 0) return;
      for (const resume of this.#waiting.splice(0)) resume();
    });
  }

  /** Settles when none is running. */
  finished(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
