import { openSync, writeSync } from "node:fs";

import { type EventStore, withAppend } from "@hostledger/store";

import { startInstance, type Instance } from "../../support/instance.ts";
import { serveParent } from "../harness/child.ts";
import { lineOf } from "./counted-lines.ts";
import { orderSchema } from "./counted-instance.ts";

/** An instance in its own process, whose event store is counted at its port. */
let instance: Instance | undefined;
const file = openSync(process.env.COUNTED_TO ?? "", "a");

serveParent(
  async (question) => {
    const { data, environment } = orderSchema.parse(question);
    instance = await startInstance({ data, environment, decorate: { store: counted } });
    const { baseUrl, adminUrl } = instance;
    return { baseUrl, adminUrl };
  },
  () => instance?.close(),
);

function counted(store: EventStore): EventStore {
  const appending = withAppend(store, (stream, expected, events) => {
    const bytes = events.reduce(
      (sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata),
      0,
    );
    writeSync(file, lineOf({ kind: "append", stream, events: events.length, bytes }));
    return store.append(stream, expected, events);
  });
  return {
    ...appending,
    read(stream, options) {
      writeSync(file, lineOf({ kind: "read", stream }));
      return store.read(stream, options);
    },
  };
}
