import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { openEventStoreDb } from "@hostledger/esdb";
import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";
import { startStandaloneNode, type PartDecorators } from "@hostledger/host";
import { readConfiguration } from "@hostledger/host/configuration";
import { defined, silentLogger } from "@hostledger/runtime";

import { namespaced } from "./namespaced-store.ts";
import { makeStatistics, noisy } from "./noisy-store.ts";

/** The event store that an instance of a test runs on. */
export interface TestEngine {
  /** Settings of the engine for the instance. */
  readonly environment: Readonly<Record<string, string>>;
  readonly decorate: PartDecorators;
  /** Opens the instance's store once more, to read it. */
  open(): Promise<EventStore>;
  close(): Promise<void>;
}

/** The streams of each data directory begin with these: an instance that is started again finds its own. */
const prefixes = new Map<string, string>();

/**
 * Opens the event store on which acceptance tests run, as `TEST_EVENT_STORE` asks: `embedded` (the default); `node`,
 * the embedded store of the data directory behind EventStoreDB's protocol, where others write between the instance's
 * events; or the `esdb://` address of a server, on which the instances of a data directory get streams of their own.
 */
export function openTestEngine(data: string, clockOffset?: string): Promise<TestEngine> {
  const wanted = process.env.TEST_EVENT_STORE ?? "embedded";
  if (wanted === "embedded") return Promise.resolve(embeddedEngine(data));
  return wanted === "node" ? startNodeEngine(data, clockOffset) : Promise.resolve(serverEngine(wanted, data));
}

/** Opens the store of a stopped instance: the file in its directory, or its streams on the tests' server. */
export function openStopped(data: string): Promise<EventStore> {
  const wanted = process.env.TEST_EVENT_STORE ?? "embedded";
  const isOnServer = wanted !== "embedded" && wanted !== "node" && prefixes.has(data);
  return (isOnServer ? serverEngine(wanted, data) : embeddedEngine(data)).open();
}

function embeddedEngine(data: string): TestEngine {
  return {
    environment: {},
    decorate: {},
    open: () =>
      openEmbeddedEventStore({
        path: join(data, "events.sqlite"),
        now: () => new Date().toISOString(),
        onFailure: fail,
      }),
    close: () => Promise.resolve(),
  };
}

function serverEngine(connectionString: string, data: string): TestEngine {
  const prefix = prefixes.get(data) ?? `t${randomUUID().replaceAll("-", "")}`;
  prefixes.set(data, prefix);
  return {
    environment: { HOSTLEDGER_EVENT_STORE: connectionString },
    decorate: { store: (store) => namespaced(store, prefix) },
    open: async () => namespaced(await openEventStoreDb({ connectionString }), prefix),
    close: () => Promise.resolve(),
  };
}

async function startNodeEngine(data: string, clockOffset: string | undefined): Promise<TestEngine> {
  const node = await startStandaloneNode({
    configuration: readConfiguration({
      HOSTLEDGER_DATA: data,
      HOSTLEDGER_ESDB_PORT: "0",
      HOSTLEDGER_ESDB_WRITERS: "anyone",
      ...defined({ HOSTLEDGER_CLOCK_OFFSET: clockOffset }),
    }),
    logger: silentLogger(),
    onFatal: fail,
  });
  const { connectionString } = node;
  const others = await openEventStoreDb({ connectionString });
  await makeStatistics(others);
  return {
    environment: { HOSTLEDGER_EVENT_STORE: connectionString },
    decorate: { store: (store) => noisy(store, others) },
    open: () => openEventStoreDb({ connectionString }),
    async close() {
      await others.close();
      await node.close();
    },
  };
}

function fail(error: Error): never {
  throw error;
}
