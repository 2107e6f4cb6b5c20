import { startEventStoreNode } from "@hostledger/esdb/node";
import { openEmbeddedEventStore } from "@hostledger/store";
import { silentLogger } from "@hostledger/runtime";

import { serveParent } from "../harness/child.ts";
import { storeEdge } from "./accounts.ts";

/** An embedded store behind EventStoreDB's protocol; returns its address on request. `node.child.ts STORE`. */
const [path = ""] = process.argv.slice(2);
const store = await openEmbeddedEventStore({ path, ...storeEdge });
const node = await startEventStoreNode({
  store,
  host: "127.0.0.1",
  port: 0,
  writers: "anyone",
  logger: silentLogger(),
});

serveParent(
  () => Promise.resolve(node.connectionString),
  async () => {
    await node.close();
    await store.close();
  },
);
