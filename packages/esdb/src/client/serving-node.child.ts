/**
 * A process that serves an embedded store as a node, which tests stop, kill and freeze. Arguments: the store's file
 * and the port (0 for a free one). It prints the port when it listens.
 */
import { openEmbeddedEventStore } from "@hostledger/store";
import { startEventStoreNode } from "../node/index.ts";

const [path = "", port = "0"] = process.argv.slice(2);
const store = await openEmbeddedEventStore({
  path,
  now: () => `${new Date().toISOString().slice(0, -1)}000Z`,
  onFailure: (error) => {
    throw error;
  },
});
const node = await startEventStoreNode({
  store,
  host: "127.0.0.1",
  port: Number(port),
  writers: "anyone",
  logger: { info: () => undefined, error: (fields, message) => console.error(message, fields) },
});
console.log(String(node.port));
