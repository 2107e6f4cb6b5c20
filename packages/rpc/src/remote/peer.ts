import { Backoff, backgroundTiming } from "@hostledger/runtime/async";

import type { RpcLogger } from "../interceptors/logger.port.ts";
import { connectionError, ConnectionError } from "./connection-failure.ts";
import { openPeerConnection, type ConnectionOptions, type PeerConnection } from "./peer-connection.ts";

/** Health of a service's address. */
export interface PeerHealth {
  readonly url: string;
  /** `idle`: nobody has called it yet. */
  readonly state: "idle" | "connecting" | "ready" | "unreachable";
  /** Why it is unreachable, in a sentence. */
  readonly reason?: string;
}

/** Pauses before an address that was lost is tried again. */
const reconnectBackoff = { firstMs: 50, longestMs: 1_000 };

/**
 * One address of a service. After the first call its connection is kept open: a refused or lost connection is tried
 * again in the background, so that no call has to wait for it.
 */
export class Peer {
  readonly url: string;
  readonly #options: ConnectionOptions;
  readonly #logger: RpcLogger;
  readonly #closing = new AbortController();
  readonly #connections = new Set<PeerConnection>();
  #ready: PeerConnection | undefined;
  #opening: Promise<PeerConnection> | undefined;
  #reason: string | undefined;
  readonly #backoff = new Backoff(reconnectBackoff, backgroundTiming);
  #isPausing = false;

  constructor(url: string, options: ConnectionOptions, logger: RpcLogger) {
    this.url = url;
    this.#options = options;
    this.#logger = logger;
  }

  /** The connection that takes calls now. */
  get ready(): PeerConnection | undefined {
    return this.#ready?.isUsable === true ? this.#ready : undefined;
  }

  health(): PeerHealth {
    const { url } = this;
    if (this.ready !== undefined) return { url, state: "ready" };
    if (this.#reason !== undefined) return { url, state: "unreachable", reason: this.#reason };
    return { url, state: this.#opening === undefined ? "idle" : "connecting" };
  }

  /** The connection in use, the one that is being made, or a new one. @throws ConnectionError */
  connection(): Promise<PeerConnection> {
    const { ready } = this;
    if (ready !== undefined) return Promise.resolve(ready);
    return (this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    }));
  }

  close(): void {
    const why = new ConnectionError(`The connection to ${this.url} was closed here.`);
    this.#closing.abort(why);
    for (const connection of this.#connections) connection.destroy(why);
  }

  async #open(): Promise<PeerConnection> {
    this.#closing.signal.throwIfAborted();
    try {
      const connection = await openPeerConnection(this.url, this.#options);
      if (this.#closing.signal.aborted) connection.destroy(new ConnectionError("closed"));
      this.#closing.signal.throwIfAborted();
      this.#keep(connection);
      return connection;
    } catch (error) {
      const failure = connectionError(this.url, error);
      this.#lost(failure);
      throw failure;
    }
  }

  #keep(connection: PeerConnection): void {
    if (this.#reason !== undefined) this.#logger.info({ url: this.url }, "a service answers again");
    this.#reason = undefined;
    this.#backoff.reset();
    this.#ready = connection;
    this.#connections.add(connection);
    connection.ended.addEventListener("abort", () => this.#connections.delete(connection), { once: true });
    void connection.left.then((why) => {
      if (this.#ready === connection) this.#ready = undefined;
      this.#lost(why);
    });
  }

  #lost({ message }: ConnectionError): void {
    if (this.#closing.signal.aborted) return;
    if (this.#reason !== message) this.#logger.info({ url: this.url, reason: message }, "a service was lost");
    this.#reason = message;
    if (!this.#isPausing) void this.#tryAgain();
  }

  async #tryAgain(): Promise<void> {
    this.#isPausing = true;
    const { signal } = this.#closing;
    await this.#backoff.pause(signal);
    this.#isPausing = false;
    if (!signal.aborted && this.ready === undefined) await this.connection().catch(() => undefined);
  }
}
