import { credentialNamed, credentialRefusal, ownCategories, storeReaderAggregate } from "@hostledger/core";
import type { EventStoreNode, FindReader } from "@hostledger/esdb/node";
import { createCommandHandler, type EventStore } from "@hostledger/store";
import {
  ConfigurationError,
  createShutdown,
  defined,
  hashOfSecret,
  isLoopback,
  startOrClose,
  systemClock,
  type Clock,
} from "@hostledger/runtime";

import { openCertificates } from "./certificates.ts";
import { refuseClearText } from "./clear-text.ts";
import type { Configuration } from "./configuration/index.ts";
import { openEventStore } from "./open-event-store.ts";
import type { HostContext, StartOptions } from "./host-context.ts";
import { openObservation } from "./metrics/process-metrics.ts";
import { shutdownLimits } from "./time-limits.ts";

/** The port that EventStoreDB's clients expect. */
const usualPort = 2113;

/** An embedded store that serves EventStoreDB's clients and nothing else. */
export interface StandaloneNode {
  /** For example `esdb://127.0.0.1:2113?tls=false`. */
  readonly connectionString: string;
  close(): Promise<void>;
}

/** Opens the embedded store of a data directory, for this process alone, and serves it over EventStoreDB's protocol. */
export async function startStandaloneNode(options: StartOptions): Promise<StandaloneNode> {
  const shutdown = createShutdown({ logger: options.logger, ...shutdownLimits });
  const { configuration } = options;
  if (configuration.eventStore !== "embedded")
    throw new ConfigurationError([
      "HOSTLEDGER_EVENT_STORE must be embedded for a node: it is the event store.",
    ]);
  refuseClearText(configuration, ["esdb"]);
  const certificates = openCertificates(options);
  return startOrClose(shutdown, options.stopping, async () => {
    const hostContext = {
      ...options,
      certificates,
      ...(await openObservation({ ...options, shutdown }, "hostledger-node")),
      shutdown,
      configuration: { ...configuration, esdbPort: configuration.esdbPort ?? usualPort },
    };
    const store = await openEventStore(hostContext, systemClock(configuration.clockOffsetMs));
    shutdown.add("event store", () => store.close());
    const { connectionString } = await startNode(hostContext, store);
    return {
      connectionString,
      close: async () => {
        await shutdown.run();
      },
    };
  });
}

/** Serves a store over EventStoreDB's protocol until the shutdown. */
export async function startNode(
  { certificates, configuration, logger, shutdown }: HostContext,
  store: EventStore,
): Promise<EventStoreNode> {
  const { esdbHost: host, esdbPort = usualPort, esdbWriters } = configuration;
  const credential = credentialOf(configuration);
  const readers = readersOf(configuration);
  // Loaded only by a process that speaks the protocol.
  const { startEventStoreNode } = await import("@hostledger/esdb/node");
  const node = await startEventStoreNode({
    store,
    host,
    port: esdbPort,
    writers: esdbWriters,
    readers,
    findReader: storeReadersOf(store, systemClock(configuration.clockOffsetMs)),
    keptCategories: ownCategories,
    logger,
    ...defined({ credential, tls: certificates.current() }),
  });
  certificates.onRenewed((tls) => {
    node.renewTls(tls);
  });
  shutdown.add("event store node", () => node.close());
  return node;
}

function credentialOf({ esdbCredential }: Configuration) {
  if (esdbCredential === undefined) return undefined;
  const colon = esdbCredential.indexOf(":");
  return { username: esdbCredential.slice(0, colon), password: esdbCredential.slice(colon + 1) };
}

/**
 * Finds users of EventStoreDB's port in the store's events, anew for each question, so that a revocation takes
 * effect at once. If the list cannot be read, no user on it may read.
 */
function storeReadersOf(store: EventStore, clock: Clock): FindReader {
  const commands = createCommandHandler({ store, recordedBy: "event-store-node" });
  const { kind } = storeReaderAggregate;
  return async ({ username, password }) => {
    const { state } = await commands.load(storeReaderAggregate, "all");
    const known = credentialNamed(kind, state, username);
    const shown = { shownHash: hashOfSecret(`${username}:${password}`), at: clock.now() };
    if (known === undefined || credentialRefusal(kind, known, shown) !== undefined) return undefined;
    // Digests of passwords of 256 random bits are compared: neither is found out by how long that takes.
    return known.categories.includes("all") ? "all" : known.categories;
  };
}

/**
 * Returns who may read: beyond loopback only users with a credential, unless configured otherwise.
 * @throws ConfigurationError if credentials cannot be checked or would protect nothing.
 */
export function readersOf(configuration: Configuration): "credentials" | "anyone" {
  const { esdbHost: host, esdbReaders, esdbWriters, tlsCertificate } = configuration;
  const readers = esdbReaders ?? (isLoopback(host) ? "anyone" : "credentials");
  if (readers === "anyone") return readers;
  if (esdbWriters === "anyone")
    throw new ConfigurationError([
      "HOSTLEDGER_ESDB_WRITERS=anyone does not go with HOSTLEDGER_ESDB_READERS=credentials: whoever may write may do more than read.",
    ]);
  if (tlsCertificate === undefined)
    throw new ConfigurationError([
      `EventStoreDB's port on ${host} asks readers for a password, which clients send over TLS only: set HOSTLEDGER_TLS_CERTIFICATE and HOSTLEDGER_TLS_KEY, or HOSTLEDGER_ESDB_READERS=anyone to let everybody who reaches it read every event.`,
    ]);
  return readers;
}
