import { join } from "node:path";
import { openTestStore } from "@hostledger/store/testing";
import type { EventStore } from "@hostledger/store";
import { freePort, temporaryDirectory } from "@hostledger/runtime/testing";
import { startEventStoreNode, type EventStoreNode } from "../node/index.ts";
import { openEventStoreDb, type EventStoreDbOptions } from "./eventstoredb-event-store.adapter.ts";

/** The adapter, connected to a node over an embedded store. */
export interface ServedStore {
  /** The adapter's store. */
  readonly store: EventStore;
  /** The store that the node serves. */
  readonly embedded: () => EventStore;
  readonly port: number;
  /** Closes the adapter, the node and the store, and opens all three on the same data. */
  restart(): Promise<EventStore>;
  /** Ends the node and its store; `startServer` brings them back on the same port. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  stop(): Promise<void>;
}

const silent = { info: () => undefined, error: () => undefined };

/** A node on a port that is its own also while it is away. */
export async function startServedStore(options: Partial<EventStoreDbOptions> = {}): Promise<ServedStore> {
  const { path: folder, remove } = temporaryDirectory();
  let embedded: EventStore;
  let node: EventStoreNode;
  const port = await freePort();
  const startServer = async (): Promise<void> => {
    embedded = await openTestStore(join(folder, "events.sqlite"));
    node = await startEventStoreNode({
      store: embedded,
      host: "127.0.0.1",
      port,
      writers: "anyone",
      logger: silent,
    });
  };
  const stopServer = async (): Promise<void> => {
    await node.close();
    await embedded.close();
  };
  await startServer();
  const connect = (): Promise<EventStore> =>
    openEventStoreDb({ connectionString: `esdb://127.0.0.1:${String(port)}?tls=false`, ...options });
  let store = await connect();
  return {
    get store() {
      return store;
    },
    embedded: () => embedded,
    port,
    restart: async () => {
      await store.close();
      await stopServer();
      await startServer();
      store = await connect();
      return store;
    },
    stopServer,
    startServer,
    stop: async () => {
      await store.close();
      await stopServer();
      remove();
    },
  };
}
