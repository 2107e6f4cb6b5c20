import { type Metadata, type MethodDefinition, status } from "@grpc/grpc-js";
import type {
  CreateReq,
  DeleteReq as PersistentDeleteReq,
  GetInfoReq,
  ListReq,
  ReplayParkedReq,
  UpdateReq,
} from "@eventstore/db-client/generated/persistent_pb.js";
import type { DeleteReq, TombstoneReq } from "@eventstore/db-client/generated/streams_pb.js";
import type { EventStore } from "@hostledger/store";
import { defined, isLoopback } from "@hostledger/runtime";

import { encodeDeleted, encodeTombstoned } from "../codec/append-answer.codec.ts";
import { decodeDeletion } from "../codec/append-request.codec.ts";
import { Refusal } from "../codec/refusal.ts";
import { isBug, toServiceError } from "./failure.ts";
import { type ReadableStore, StreamEventsReader } from "./stream-events.ts";
import { handleAppend, handleBatchAppend } from "./append-handlers.ts";
import { Authority, type FindReader, type NodeCredential } from "./authority.ts";
import { describeCluster, describeFeatures } from "./features-and-gossip.ts";
import { type GrpcCall, WriterClosedError } from "./grpc-call.ts";
import { GrpcServer, type ServerTls } from "./grpc-server.ts";
import { BoundedCalls, defaultLimits, type NodeLimits, type NodeParts } from "./node-parts.ts";
import { PersistentGroups } from "./persistent-groups.ts";
import { PersistentHandlers } from "./persistent-handlers.ts";
import {
  GossipService,
  PersistentSubscriptionsService,
  ServerFeaturesService,
  shared,
  StreamsService,
} from "../codec/protocol.ts";
import { handleRead } from "./read-handler.ts";
import { LinkStreams } from "./link-streams.ts";
import { StreamReading } from "./stream-reading.ts";
import { StreamWriting } from "./stream-writing.ts";

/** Milliseconds for calls in progress after `close`. */
const closeMilliseconds = 1_500;

/** The node's log; a pino logger fits. */
export interface NodeLogger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface EventStoreNodeOptions {
  readonly store: EventStore;
  /** Address to listen on, which gossip returns too. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /**
   * Credential of writers. Clients send it over TLS only, so it needs `tls`. Without it nobody may write, unless
   * `writers` is `anyone`.
   */
  readonly credential?: NodeCredential;
  /** `anyone`: no credential is required; only allowed on a loopback address. Default: `credential`. */
  readonly writers?: "credential" | "anyone";
  /**
   * `credentials`: only the writer and the users of `findReader` may read, each user the permitted categories; needs
   * `tls`. Default: `anyone`.
   */
  readonly readers?: "credentials" | "anyone";
  /** Finds users who may read but not write. */
  readonly findReader?: FindReader;
  /**
   * Categories of protected streams: the node refuses their deletion, tombstones and metadata with "Access Denied".
   * Default: none.
   */
  readonly keptCategories?: readonly string[];
  /** PEM texts. Without them the node uses clear text. */
  readonly tls?: ServerTls;
  readonly limits?: Partial<NodeLimits>;
  readonly logger: NodeLogger;
}

export interface EventStoreNode {
  readonly port: number;
  /** For `EventStoreDBClient.connectionString`; without a credential. */
  readonly connectionString: string;
  /**
   * Uses another certificate for new connections.
   * @throws Error if it cannot be read, or the node has no certificate.
   */
  renewTls(tls: ServerTls): void;
  /** Ends subscriptions, lets appends finish, and stops listening. The store stays open. */
  close(): Promise<void>;
}

/**
 * Serves the store over EventStoreDB's gRPC protocol.
 * @throws Error if the address is unavailable, or a setting would let strangers write.
 */
export async function startEventStoreNode(options: EventStoreNodeOptions): Promise<EventStoreNode> {
  refuseUnsafe(options);
  const { host, logger } = options;
  const closing = new AbortController();
  const parts = makeParts(options, closing.signal);
  const server = new GrpcServer(options.tls);
  const methods = new Methods(server, parts);
  let port = 0;
  serveStreams(methods, parts);
  servePersistentSubscriptions(methods, parts);
  methods.unary(ServerFeaturesService.getSupportedMethods, () => describeFeatures());
  methods.unary(GossipService.read, () => describeCluster(host, port));
  port = await server.listen(host, options.port);
  logger.info({ host, port }, "the event store node is listening");
  return {
    port,
    connectionString: `esdb://${bracketed(host)}:${String(port)}?tls=${options.tls === undefined ? "false" : "true"}`,
    renewTls: (tls) => {
      server.renewTls(tls);
    },
    close: () => {
      closing.abort();
      return server.close(closeMilliseconds);
    },
  };
}

function refuseUnsafe({ credential, host, tls, writers, readers }: EventStoreNodeOptions): void {
  if (readers === "credentials" && writers === "anyone") {
    throw new Error("the event store node cannot ask its readers who they are and let anyone write");
  }
  if (readers === "credentials" && tls === undefined) {
    throw new Error(
      "the event store node needs a TLS certificate to ask its readers who they are: clients send no password in clear",
    );
  }
  if (writers === "anyone" && !isLoopback(host)) {
    throw new Error(`the event store node may let anyone write on a loopback address only, not on ${host}`);
  }
  if (credential !== undefined && tls === undefined && writers !== "anyone") {
    throw new Error(
      "the event store node needs a TLS certificate for its credential: clients send none in clear",
    );
  }
}

function makeParts(options: EventStoreNodeOptions, closing: AbortSignal): NodeParts {
  const { store, logger } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const links = new LinkStreams(store);
  const readable = withLinks(store, links);
  const events = new StreamEventsReader(readable);
  return {
    store,
    events,
    reading: new StreamReading(readable, events),
    links,
    writing: new StreamWriting(store, events, options.keptCategories),
    authority: new Authority(options),
    limits,
    reads: new BoundedCalls(limits.reads, "readings"),
    subscriptions: new BoundedCalls(limits.subscriptions, "subscriptions"),
    closing,
    onBug: (error) => {
      logger.error({ err: error }, "the event store node failed to answer");
    },
  };
}

function withLinks(store: EventStore, links: LinkStreams): ReadableStore {
  return {
    ...defined({ shared: store.shared }),
    read: (stream, options) => links.read(stream, options) ?? store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    targetOf: (link) => links.targetOf(link),
  };
}

function serveStreams(methods: Methods, parts: NodeParts): void {
  const { writing } = parts;
  methods.streaming(StreamsService.read, (call) => handleRead(parts, call));
  methods.streaming(StreamsService.append, async (call) => {
    call.write(await handleAppend(parts, call));
  });
  methods.streaming(StreamsService.batchAppend, (call) => handleBatchAppend(parts, call));
  methods.writing(StreamsService.delete, async (request: DeleteReq) => {
    const { stream, expected } = decodeDeletion(request);
    return encodeDeleted(await writing.softDelete(stream, expected));
  });
  methods.writing(StreamsService.tombstone, async (request: TombstoneReq) => {
    const { stream, expected } = decodeDeletion(request);
    return encodeTombstoned(await writing.tombstone(stream, expected));
  });
}

function servePersistentSubscriptions(methods: Methods, parts: NodeParts): void {
  const handlers = new PersistentHandlers(parts, new PersistentGroups(parts));
  const service = PersistentSubscriptionsService;
  methods.writing(service.create, (request: CreateReq) => handlers.create(request));
  methods.writing(service.update, (request: UpdateReq) => handlers.update(request));
  methods.writing(service.delete, (request: PersistentDeleteReq) => handlers.delete(request));
  methods.streaming(service.read, (call) => handlers.read(call));
  // Information about groups names streams of all categories.
  const { authority } = parts;
  methods.unary(service.getInfo, async (request: GetInfoReq, metadata) => {
    await authority.checkReadsWhole(metadata);
    return handlers.getInfo(request);
  });
  methods.writing(service.replayParked, (request: ReplayParkedReq) => handlers.replayParked(request));
  methods.unary(service.list, async (request: ListReq, metadata) => {
    await authority.checkReadsWhole(metadata);
    return handlers.list(request);
  });
  // Groups live in this process and no part of them can be restarted.
  methods.writing(service.restartSubsystem, () => new shared.Empty());
}

/** The three ways to answer a method. */
class Methods {
  readonly #server: GrpcServer;
  readonly #parts: NodeParts;

  constructor(server: GrpcServer, parts: NodeParts) {
    this.#server = server;
    this.#parts = parts;
  }

  /** The handler writes its answers itself. */
  streaming<Request, Response>(
    method: MethodDefinition<Request, Response>,
    answer: (call: GrpcCall<Request, Response>) => Promise<void>,
  ): void {
    const parts = this.#parts;
    const isClosing = (): boolean => parts.closing.aborted;
    this.#server.serve(
      method,
      async (call) => {
        if (isClosing()) throw shuttingDown();
        await answer(call);
        if (isClosing() && method.responseStream) throw shuttingDown();
      },
      (error) => failure(parts, error),
    );
  }

  unary<Request, Response>(
    method: MethodDefinition<Request, Response>,
    answer: (request: Request, metadata: Metadata) => Response | Promise<Response>,
  ): void {
    this.streaming(method, async (call) => {
      await this.#parts.authority.checkIdentity(call.metadata);
      call.write(await answer(await call.request(), call.metadata));
    });
  }

  /** A request that changes something; the caller must be a writer. */
  writing<Request, Response>(
    method: MethodDefinition<Request, Response>,
    answer: (request: Request) => Response | Promise<Response>,
  ): void {
    this.unary(method, (request, metadata) => {
      this.#parts.authority.checkMayWrite(metadata);
      return answer(request);
    });
  }
}

function failure(parts: NodeParts, error: unknown): ReturnType<typeof toServiceError> {
  if (error instanceof WriterClosedError) return toServiceError(shuttingDown());
  if (isBug(error)) parts.onBug(error);
  return toServiceError(error);
}

function shuttingDown(): Refusal {
  return new Refusal(status.UNAVAILABLE, "the node is shutting down");
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
