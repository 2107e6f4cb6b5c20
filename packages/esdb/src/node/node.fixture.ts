import { join } from "node:path";

import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { openTestStore } from "@hostledger/store/testing";
import type { EventStore } from "@hostledger/store";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import { startEventStoreNode, type EventStoreNode, type EventStoreNodeOptions } from "./event-store-node.ts";

export { collect, failureOf, take } from "./iteration.fixture.ts";

/** A node over a fresh store, and a client of EventStoreDB's own package connected to it. */
export interface TestNode {
  readonly store: EventStore;
  readonly node: EventStoreNode;
  readonly client: EventStoreDBClient;
  /** Errors in the node's log. */
  readonly bugs: readonly object[];
  readonly path: string;
  stop(): Promise<void>;
}

/** Starts one; anyone may write unless the options say otherwise. */
export async function startTestNode(options: Partial<EventStoreNodeOptions> = {}): Promise<TestNode> {
  const { path: folder, remove } = temporaryDirectory();
  const path = join(folder, "events.db");
  const store = await openTestStore(path);
  const bugs: object[] = [];
  const logger = {
    info: () => undefined,
    error: (fields: object) => {
      bugs.push(fields);
    },
  };
  const node = await startEventStoreNode({
    store,
    host: "127.0.0.1",
    port: 0,
    writers: "anyone",
    logger,
    ...options,
  });
  const client = EventStoreDBClient.connectionString(node.connectionString);
  return {
    store,
    node,
    client,
    bugs,
    path,
    stop: async () => {
      await client.dispose();
      await node.close();
      await store.close();
      remove();
    },
  };
}

/** Creates events with increasing numbers as data. */
export function numbered(
  count: number,
  type = "Numbered",
): ReturnType<typeof jsonEvent<{ type: string; data: { n: number } }>>[] {
  return Array.from({ length: count }, (_, n) => jsonEvent({ type, data: { n } }));
}
