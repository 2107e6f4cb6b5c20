import { randomUUID } from "node:crypto";

import { discoverEndpoint } from "@eventstore/db-client/dist/Client/discovery.js";
import { CallCredentials, Metadata, status, type CallOptions } from "@grpc/grpc-js";

import { gatherHeader, StreamsClient } from "../codec/protocol.ts";
import { trailer } from "../codec/refusal.codec.ts";
import type { ConnectionSettings } from "./connection-settings.ts";

/** The largest message taken in, in bytes: EventStoreDB can hold events of 16 MB. */
const messageBytes = 17 * 1_048_576;
/**
 * Longest time between two attempts to connect, in milliseconds. gRPC's own is two minutes, and EventStoreDB's client
 * cannot change it: a server that was away for a minute would be missed for another one.
 */
const reconnectMs = 1_000;
const firstReconnectMs = 100;
/** Bytes under way to this process: the default of 64 KiB stalls a reading at every few hundred events. */
const windowBytes = 1_048_576;

/** No node of the cluster answers. It has gRPC's code for that, since it passes like a server that is away. */
export class NoNodeError extends Error {
  override readonly name = "NoNodeError";
  readonly code = status.UNAVAILABLE;
}

/** How a call begins. */
export interface CallArguments {
  readonly metadata: Metadata;
  readonly options: CallOptions;
}

/**
 * The connection to one server, or to the best one of a cluster, found by gossip as EventStoreDB's client finds it.
 * gRPC connects again by itself; of a cluster the best node is asked for again.
 */
export class Connection {
  readonly #settings: ConnectionSettings;
  readonly #name: string;
  readonly #gatherMs: number;
  #client: Promise<StreamsClient> | undefined;
  #leader: string | undefined;
  /** True where the present client goes to a leader that another node named. */
  #isAtLeader = false;

  /** @param gatherMs how long a node may gather live events before it sends them. */
  constructor(settings: ConnectionSettings, gatherMs = 0) {
    this.#settings = settings;
    this.#gatherMs = gatherMs;
    this.#name = settings.connectionName ?? `hostledger-${randomUUID()}`;
  }

  /** The server's name, for messages. */
  get server(): string {
    return this.#settings.name;
  }

  /** The client of the present node. @throws Error when no node of the cluster is found. */
  client(): Promise<StreamsClient> {
    if (this.#client !== undefined) return this.#client;
    const client = this.#connect();
    this.#client = client;
    client.catch(() => {
      if (this.#client === client) this.#client = undefined;
    });
    return client;
  }

  /** Call-level credentials and headers. Reading only from the leader shows every acknowledged append at once. */
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
   * Takes notice of a failed call, so that the next one of a cluster goes to a node that can answer it. A leader that was named
   * and is gone is not waited for: whom the connection string names knows the next one.
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
