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
  /** Time limit of a unary call without one, in milliseconds. */
  readonly defaultTimeoutMs: number;
}

/** Default limits. */
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
  /** For `https` URLs: our certificate and the trusted authorities. */
  readonly tls?: RpcTls;
  readonly logger: RpcLogger;
  readonly limits?: Partial<ServiceTransportLimits>;
  /** Tracing, if a collector is configured: each call then carries its span. */
  readonly tracing?: Pick<Tracing, "traceparent">;
}

export interface ServiceTransport extends Transport {
  /** Returns the health of each address, in the order of `urls`. */
  health(): readonly PeerHealth[];
  /**
   * Sets the certificate and the authorities of new connections.
   * @throws TlsError if unusable; the earlier ones then stay.
   */
  renewTls(tls: RpcTls): void;
  /** Cuts all connections; calls that run fail. Safe to repeat. */
  close(): Promise<void>;
}

/** Input of `Headers`; Node's types have no name for it. */
type HeadersLike = ConstructorParameters<typeof Headers>[0];

/**
 * Creates a Connect transport to a service in other processes, over HTTP/2, with one connection per URL. A call goes
 * only to a process that accepts calls. A call that no process got is repeated, whatever its method. A lost call is
 * repeated only if its method is NO_SIDE_EFFECTS or IDEMPOTENT, at another URL if there is one, with the same
 * `hostledger-operation-id`. Answered calls and streams are never repeated. An unanswered call is rejected as one to
 * try again later, with the reason as the error's `cause`.
 * @throws TypeError if there is no URL, or a text is no URL.
 * @throws TlsError
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

/** Every call has an operation id, by which the handler recognises a repeated attempt. */
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
