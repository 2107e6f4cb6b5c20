import { openRpcListener, type RpcListenerOptions, type RpcServer, type Served } from "./rpc-listener.ts";
import type { Health } from "./health.ts";

/** Options of `startRpcServer`. */
export interface RpcServerOptions extends RpcListenerOptions, Served {
  /** Each service is reported as serving from now to the close; the process as a whole is the caller's to report. */
  readonly health: Health;
}

/**
 * Listens and serves at once, for a process whose services are there.
 *
 * @throws the system's error when the port cannot be had, for example EADDRINUSE. @throws TlsError
 */
export async function startRpcServer({
  services,
  interceptors,
  ...options
}: RpcServerOptions): Promise<RpcServer> {
  const listener = await openRpcListener(options);
  listener.serve({ services, interceptors });
  return listener;
}
