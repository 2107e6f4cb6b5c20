import { create, type DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import { randomIds, type Tracing } from "@hostledger/runtime";

import { callHeaders } from "../interceptors/headers.ts";
import type { RpcLogger } from "../interceptors/logger.port.ts";
import { checkedTls, type RpcTls } from "../tls/tls.ts";
import { CallAttempts, type CallLimits, type Repetition } from "./call-attempts.ts";
import type { ConnectionOptions } from "./peer-connection.ts";
import { Peer, type PeerHealth } from "./peer.ts";
import { Peers } from "./peers.ts";

/** Limits of calls to one service; times in milliseconds. */
export interface ServiceTransportLimits extends CallLimits, Omit<ConnectionOptions, "tls"> {
  /** Of a unary call whose caller gives no time limit. */
  readonly defaultTimeoutMs: number;
}

/** What holds where nothing else is said. */
export const defaultServiceTransportLimits: ServiceTransportLimits = {
  callsInFlight: 1024,
  defaultTimeoutMs: 30_000,
  attempts: 5,
  firstPauseMs: 100,
  longestPauseMs: 2000,
  connectTimeoutMs: 2000,
  pingIntervalMs: 1500,
  pingTimeoutMs: 1500,
  messageBytes: 16_777_216,
};

/** Options of `createServiceTransport`. */
export interface ServiceTransportOptions {
  /** Base URLs of one service's processes, for example `https://account-1:9000`. Calls take turns between them. */
  readonly urls: readonly string[];
  /** For `https` URLs: what is shown to the service, and who vouches for it. */
  readonly tls?: RpcTls;
  readonly logger: RpcLogger;
  readonly limits?: Partial<ServiceTransportLimits>;
  /** Where a collector wants to know of calls: then each carries the span that it is made in. */
  readonly tracing?: Pick<Tracing, "traceparent">;
}

/** How a service that runs in other processes is called. */
export interface ServiceTransport extends Transport {
  /** How each address is doing, in the order of `urls`. */
  health(): readonly PeerHealth[];
  /** What connections made from now on show, and whom they trust. @throws TlsError it cannot be used; the one before stays. */
  renewTls(tls: RpcTls): void;
  /** Cuts all connections; calls that run fail. Safe to repeat. */
  close(): Promise<void>;
}

/** What `Headers` are made from; the platform types of Node have no name for it. */
type HeadersLike = ConstructorParameters<typeof Headers>[0];

/**
 * A Connect transport to a service in other processes, over HTTP/2, one connection for each URL.
 *
 * A call goes only to a process that has said that it takes calls. One that no process has seen is tried again whatever its
 * method; one that was lost on the way only if its method is NO_SIDE_EFFECTS or IDEMPOTENT, elsewhere where there is
 * another URL, and under the one `hostledger-operation-id` that all attempts share. What the peer answered is never asked
 * for again, and neither is a stream. A call without an answer is rejected as one to be tried again later, with what is
 * known of the reason as the error's `cause`.
 *
 * @throws TypeError for no URL, or a text that is none. @throws TlsError
 */
export function createServiceTransport(options: ServiceTransportOptions): ServiceTransport {
  const limits = { ...defaultServiceTransportLimits, ...options.limits };
  let tls = options.tls === undefined ? undefined : checkedTls(options.tls);
  const connecting: ConnectionOptions = {
    ...limits,
    get tls() {
      return tls;
    },
  };
  const urls = [...new Set(options.urls.map((url) => new URL(url).origin))];
  if (urls.length === 0) throw new TypeError("a service needs at least one URL");
  const peers = urls.map((url) => new Peer(url, connecting, options.logger));
  const attempts = new CallAttempts(new Peers(peers), limits);
  return {
    async unary(method, signal, timeoutMs, header: HeadersLike, input, contextValues) {
      const message = create(method.input, input);
      const headers = headersOf(header, options.tracing);
      const limitMs = timeoutMs ?? limits.defaultTimeoutMs;
      return attempts.unary(repetitionOf(method), signal, limitMs, ({ connection, signal: ends, leftMs }) =>
        connection.transport.unary(method, ends, leftMs, headers, message, contextValues),
      );
    },

    async stream(method, signal, timeoutMs, header: HeadersLike, input, contextValues) {
      const headers = headersOf(header, options.tracing);
      const { response, guard } = await attempts.stream(signal, ({ transport }) =>
        transport.stream(method, signal, timeoutMs, headers, input, contextValues),
      );
      return { ...response, message: guard(response.message) };
    },

    health: () => peers.map((peer) => peer.health()),

    renewTls(renewed) {
      tls = checkedTls(renewed);
    },

    close() {
      for (const peer of peers) peer.close();
      return Promise.resolve();
    },
  };
}

/** The handler tells an attempt that follows another by the operation, so every call has one. */
function headersOf(header: HeadersLike, tracing: ServiceTransportOptions["tracing"]): Headers {
  const headers = new Headers(header);
  if (!headers.has(callHeaders.operationId)) headers.set(callHeaders.operationId, randomIds.uuid());
  const traceparent = tracing?.traceparent();
  if (traceparent !== undefined) headers.set(callHeaders.traceparent, traceparent);
  return headers;
}

function repetitionOf({ idempotency }: DescMethod): Repetition {
  if (idempotency === Level.NO_SIDE_EFFECTS) return "reads";
  return idempotency === Level.IDEMPOTENT ? "changes" : "no";
}
