import { randomUUID } from "node:crypto";

import { readConfiguration } from "@hostledger/host/configuration";
import { defined, silentLogger } from "@hostledger/runtime";
import { startStandaloneNode, type PartDecorators } from "@hostledger/host";

import { namespaced } from "./namespaced-store.ts";

/** The event store that an instance of a test runs on. */
export interface TestEngine {
  /** What the instance's configuration says of it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly decorate: PartDecorators;
  close(): Promise<void>;
}

/**
 * Opens the event store on which acceptance tests run, as `TEST_EVENT_STORE` asks: `embedded` (the default); `node`,
 * the embedded store of the data directory behind EventStoreDB's protocol; or the `esdb://` address of a server, on which
 * every instance gets streams of its own.
 */
export async function openTestEngine(data: string, clockOffset: string | undefined): Promise<TestEngine> {
  const wanted = process.env.TEST_EVENT_STORE ?? "embedded";
  if (wanted === "embedded") return { environment: {}, decorate: {}, close: () => Promise.resolve() };
  if (wanted !== "node") {
    const prefix = `t${randomUUID().replaceAll("-", "")}`;
    return {
      environment: { HOSTLEDGER_EVENT_STORE: wanted },
      decorate: { store: (store) => namespaced(store, prefix) },
      close: () => Promise.resolve(),
    };
  }
  const node = await startStandaloneNode({
    configuration: readConfiguration({
      HOSTLEDGER_DATA: data,
      HOSTLEDGER_ESDB_PORT: "0",
      HOSTLEDGER_ESDB_WRITERS: "anyone",
      ...defined({ HOSTLEDGER_CLOCK_OFFSET: clockOffset }),
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
  });
  return {
    environment: { HOSTLEDGER_EVENT_STORE: node.connectionString },
    decorate: {},
    close: () => node.close(),
  };
}
