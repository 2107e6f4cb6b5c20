import { randomUUID } from "node:crypto";

import { discoverEndpoint } from "@eventstore/db-client/dist/Client/discovery.js";
import { CallCredentials, Metadata, status, type CallOptions } from "@grpc/grpc-js";

import { gatherHeader, StreamsClient } from "../codec/protocol.ts";
import { trailer } from "../codec/refusal.codec.ts";
import type { ConnectionSettings } from "./connection-settings.ts";

/** Maximum bytes of a received message; EventStoreDB can store events of 16 MB. */
const messageBytes = 17 * 1_048_576;
/**
 * Maximum milliseconds between attempts to connect. gRPC's default is two minutes, and EventStoreDB's client cannot
 * change it, so a short outage would last longer.
 */
const reconnectMs = 1_000;
const firstReconnectMs = 100;
/** Flow-control window in bytes; the default of 64 KiB interrupts a read after every few hundred events. */
const windowBytes = 1_048_576;

/**
 * No node of the cluster answers. The error has gRPC's code UNAVAILABLE, because it is as temporary as a missing
 * server.
 */
export class NoNodeError extends Error {
  override readonly name = "NoNodeError";
  readonly code = status.UNAVAILABLE;
}

export interface CallArguments {
  readonly metadata: Metadata;
  readonly options: CallOptions;
}

/**
 * A connection to one server, or to the best node of a cluster, which gossip finds. gRPC reconnects to a server by
 * itself; for a cluster the best node is looked up again.
 */
export class Connection {
  readonly #settings: ConnectionSettings;
  readonly #name: string;
  readonly #gatherMs: number;
  #client: Promise<StreamsClient> | undefined;
  #leader: string | undefined;
  /** True if the current client uses a leader that another node named. */
  #isAtLeader = false;

  /** @param gatherMs maximum milliseconds for which a node may collect live events before it sends them. */
  constructor(settings: ConnectionSettings, gatherMs = 0) {
    this.#settings = settings;
    this.#gatherMs = gatherMs;
    this.#name = settings.connectionName ?? `hostledger-${randomUUID()}`;
  }

  /** The server's name, for messages. */
  get server(): string {
    return this.#settings.name;
  }

  /** Returns the client of the current node. @throws Error if no node of the cluster is found. */
  client(): Promise<StreamsClient> {
    if (this.#client !== undefined) return this.#client;
    const client = this.#connect();
    this.#client = client;
    client.catch(() => {
      if (this.#client === client) this.#client = undefined;
    });
    return client;
  }

  /** Credentials and headers of a call. Reads from the leader show every acknowledged append at once. */
  callArguments(): CallArguments {
    const { discovery, tls, user } = this.#settings;
    const metadata = new Metadata();
    metadata.set("connection-name", this.#name);
    if ((discovery.nodePreference ?? "leader") === "leader") metadata.set("requires-leader", "true");
    if (this.#gatherMs !== 0) metadata.set(gatherHeader, String(this.#gatherMs));
    const options: CallOptions = { deadline: Infinity };
    if (tls && user !== undefined) options.credentials = basicCredentials(user.username, user.password);
    return { metadata, options };
  }

  /**
   * Handles a failed call, so that the next call uses a node that can answer. If a named leader is gone, the nodes in
   * the connection string name the next leader.
   */
  async noteFailure(client: StreamsClient, failure: unknown): Promise<void> {
    const exception = trailer(failure, "exception");
    const movesToLeader = exception === "not-leader";
    const unavailable = failure instanceof Error && Reflect.get(failure, "code") === status.UNAVAILABLE;
    const mayBeElsewhere = this.#settings.discovers || this.#isAtLeader;
    if (!movesToLeader && !(mayBeElsewhere && unavailable)) return;
    if ((await this.#client?.catch(() => undefined)) !== client) return;
    const host = trailer(failure, "leader-endpoint-host");
    const port = trailer(failure, "leader-endpoint-port");
    this.#leader = host !== undefined && port !== undefined && movesToLeader ? `${host}:${port}` : undefined;
    this.#client = undefined;
    client.close();
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    client?.close();
  }

  async #connect(): Promise<StreamsClient> {
    const { channel, keepAliveIntervalMs, keepAliveTimeoutMs } = this.#settings;
    return new StreamsClient(await this.#address(), channel, {
      ...(keepAliveIntervalMs < 0 ? {} : { "grpc.keepalive_time_ms": keepAliveIntervalMs }),
      ...(keepAliveTimeoutMs < 0 ? {} : { "grpc.keepalive_timeout_ms": keepAliveTimeoutMs }),
      "grpc.max_receive_message_length": messageBytes,
      "grpc.max_send_message_length": -1,
      "grpc.initial_reconnect_backoff_ms": firstReconnectMs,
      "grpc.max_reconnect_backoff_ms": reconnectMs,
      "grpc.use_local_subchannel_pool": 1,
      "grpc-node.flow_control_window": windowBytes,
    });
  }

  async #address(): Promise<string> {
    const leader = this.#leader;
    this.#leader = undefined;
    this.#isAtLeader = leader !== undefined;
    if (leader !== undefined) return leader;
    const { channel, discovers, discovery, endpoints } = this.#settings;
    const [first] = endpoints;
    if (!discovers) return `${first.address}:${String(first.port)}`;
    try {
      const found = await discoverEndpoint({ ...discovery, endpoints: [...endpoints] }, channel);
      return `${found.address}:${String(found.port)}`;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new NoNodeError(text, { cause: error });
    }
  }
}

function basicCredentials(username: string, password: string): CallCredentials {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return CallCredentials.createFromMetadataGenerator((_, answer) => {
    const metadata = new Metadata();
    metadata.set("authorization", authorization);
    answer(null, metadata);
  });
}
