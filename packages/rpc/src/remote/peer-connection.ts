import { once } from "node:events";
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  type OutgoingHttpHeaders,
} from "node:http2";

import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import {
  afterThisTurn,
  backgroundTiming,
  monotonicMilliseconds,
  timeoutSignal,
  type CallOff,
} from "@hostledger/runtime/async";

import { servingHeader, servingPath } from "../server/probe.ts";
import type { NodeTls } from "../tls/tls.ts";
import { connectionError, ConnectionError, NotSentError } from "./connection-failure.ts";

/** Options of a connection; times in milliseconds. */
export interface ConnectionOptions {
  readonly tls?: NodeTls | undefined;
  /** Until the peer has answered that it takes calls. */
  readonly connectTimeoutMs: number;
  /** A peer that has said nothing for so long is asked whether it lives. */
  readonly pingIntervalMs: number;
  /** A peer that does not answer that within this time is gone. */
  readonly pingTimeoutMs: number;
  /** The largest message in bytes, after decompression. */
  readonly messageBytes: number;
}

/**
 * One HTTP/2 connection to a peer that accepts calls. It is in use or ending, and never reconnects: the owner
 * decides that, because it knows other addresses. A silent peer, frozen or disconnected, is noticed `pingIntervalMs`
 * + `pingTimeoutMs` after its last message, whether calls are running or not.
 */
export class PeerConnection {
  /** Of Connect's session managers. */
  readonly authority: string;
  /** Calls over this connection. */
  readonly transport: Transport;
  /** Settles when no further call can be sent: the peer takes its leave, hangs up, or is silent. Running calls may go on. */
  readonly left: Promise<ConnectionError>;
  /** Aborts when the connection is gone, and every call on it with it. */
  readonly ended: AbortSignal;
  readonly #session: ClientHttp2Session;
  readonly #options: ConnectionOptions;
  readonly #leave: (why: ConnectionError) => void;
  #reason: ConnectionError | undefined;
  #heardAtMs = monotonicMilliseconds();
  #stopWatching: CallOff = () => undefined;
  #streams = 0;

  constructor(url: string, session: ClientHttp2Session, options: ConnectionOptions) {
    this.authority = new URL(url).origin;
    this.#session = session;
    this.#options = options;
    const left = Promise.withResolvers<ConnectionError>();
    this.left = left.promise;
    const ended = new AbortController();
    this.ended = ended.signal;
    this.#leave = (why) => {
      this.#reason ??= why;
      left.resolve(why);
    };
    session.on("goaway", () => {
      this.#leave(new ConnectionError(`${url} accepts no more calls.`));
    });
    session.on("error", (error: unknown) => {
      this.#leave(connectionError(url, error));
    });
    session.on("close", () => {
      this.#stopWatching();
      this.#leave(new ConnectionError(`${url} hung up.`));
      ended.abort();
    });
    this.#listenAfter(options.pingIntervalMs);
    this.transport = createConnectTransport({
      baseUrl: this.authority,
      httpVersion: "2",
      sessionManager: this,
      useBinaryFormat: true,
      acceptCompression: [],
      readMaxBytes: options.messageBytes,
    });
  }

  get isUsable(): boolean {
    return this.#reason === undefined && !this.#session.closed && !this.#session.destroyed;
  }

  /** Opens a stream of HTTP/2, for Connect. @throws NotSentError */
  request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: Omit<ClientSessionRequestOptions, "signal">,
  ): Promise<ClientHttp2Stream> {
    if (!this.isUsable) return Promise.reject(new NotSentError(this.#reason?.message));
    try {
      const stream = this.#session.request({ ...headers, ":method": method, ":path": path }, options);
      this.#count(stream);
      return Promise.resolve(stream);
    } catch (error) {
      return Promise.reject(new NotSentError(`${this.authority} accepted no call.`, { cause: error }));
    }
  }

  /** Called by Connect when bytes of the peer arrive. */
  notifyResponseByteRead(): void {
    this.#heardAtMs = monotonicMilliseconds();
  }

  /** Cuts the connection and every call on it. */
  destroy(why: ConnectionError): void {
    this.#leave(why);
    this.#session.destroy(why);
  }

  /** A process may end while a connection is idle, but not while a call runs. */
  #count(stream: ClientHttp2Stream): void {
    this.#streams += 1;
    if (this.#streams === 1) this.#session.ref();
    let hasAnswered = false;
    stream.once("response", () => {
      hasAnswered = true;
      this.notifyResponseByteRead();
    });
    stream.once("close", () => {
      // A peer that has taken its leave and is then cut off closes its streams without an error, and Connect, which listens
      // for errors and answers only, would wait for ever.
      if (!hasAnswered && stream.rstCode === constants.NGHTTP2_NO_ERROR)
        stream.emit("error", new ConnectionError(`${this.authority} hung up.`));
      this.#streams -= 1;
      if (this.#streams === 0 && !this.#session.destroyed) this.#session.unref();
    });
  }

  #listenAfter(ms: number): void {
    this.#stopWatching = backgroundTiming.after(ms, () => {
      const silentMs = monotonicMilliseconds() - this.#heardAtMs;
      const { pingIntervalMs } = this.#options;
      if (silentMs < pingIntervalMs) this.#listenAfter(pingIntervalMs - silentMs);
      else this.#ping();
    });
  }

  #ping(): void {
    if (this.#session.destroyed) return;
    this.#stopWatching = backgroundTiming.after(this.#options.pingTimeoutMs, () => {
      this.destroy(new ConnectionError(`${this.authority} stopped answering.`));
    });
    // A session that cannot send one is about to report its end.
    this.#session.ping((error) => {
      if (error !== null) return;
      this.#stopWatching();
      this.notifyResponseByteRead();
      this.#listenAfter(this.#options.pingIntervalMs);
    });
  }
}

/**
 * Connects and asks whether the peer takes calls: the system takes connections for a process that is frozen, and a
 * listener does so before its services are there and while they leave.
 * @throws ConnectionError
 */
export async function openPeerConnection(url: string, options: ConnectionOptions): Promise<PeerConnection> {
  const session = connect(new URL(url).origin, { ...options.tls });
  // Until the connection has listeners of its own, and after it: an error without a listener would end the process.
  session.on("error", () => undefined);
  const signal = timeoutSignal(options.connectTimeoutMs);
  try {
    await once(session, "connect", { signal });
    session.unref();
    const takesCalls = await ask(session, signal);
    if (!takesCalls) throw new ConnectionError(`${url} does not accept calls now.`);
    return new PeerConnection(url, session, options);
  } catch (error) {
    session.destroy();
    throw signal.aborted
      ? new ConnectionError(`${url} does not answer within ${String(options.connectTimeoutMs)} ms.`)
      : connectionError(url, error);
  }
}

/** Returns true if the peer accepts calls. A peer that does not know the question accepts them. */
async function ask(session: ClientHttp2Session, signal: AbortSignal): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>();
  const stream = session.request({ ":path": servingPath, ":method": "GET" });
  const fail = (error: unknown): void => {
    answered.reject(error instanceof Error ? error : new Error("the connection ended"));
  };
  const stop = (): void => {
    fail(signal.reason);
  };
  stream.on("error", (error) => {
    afterThisTurn(() => {
      fail(error);
    });
  });
  // The session reports a problem with our certificate only after the connection seemed to be open and the
  // stream ended.
  session.once("error", fail);
  stream.once("close", () => {
    afterThisTurn(() => {
      fail(undefined);
    });
  });
  stream.once("response", (headers) => {
    answered.resolve(headers[servingHeader] !== "no" && headers[":status"] !== 503);
  });
  stream.resume();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await answered.promise;
  } finally {
    session.off("error", fail);
    signal.removeEventListener("abort", stop);
  }
}
