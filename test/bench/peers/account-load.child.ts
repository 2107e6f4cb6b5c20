import { accountSnapshots } from "@hostledger/core";
import { createCommandHandler, openEmbeddedEventStore, openSqliteSnapshots } from "@hostledger/store";
import { defined } from "@hostledger/runtime";

import { serveParent } from "../harness/child.ts";
import { watchResidentMemory } from "../replay/peak-memory.ts";
import type { Pass } from "../replay/replay.ts";
import { accounts, storeEdge } from "./accounts.ts";

/**
 * A process that has just started and loads an account: from its snapshot when there is a file of them, else from all its
 * events. `account-load.child.ts STORE ACCOUNT [SNAPSHOTS]`.
 */
const [path = "", id = "", snapshotFile] = process.argv.slice(2);
const peak = watchResidentMemory();
const store = await openEmbeddedEventStore({ path, ...storeEdge });
const snapshots = snapshotFile === undefined ? undefined : openSqliteSnapshots({ path: snapshotFile });
const handler = createCommandHandler({
  store,
  recordedBy: "bench",
  ...defined({ snapshots: snapshots && { snapshots } }),
});

serveParent(load, async () => {
  await snapshots?.close();
  await store.close();
});

async function load(): Promise<Pass> {
  const startMs = performance.now();
  const { revision = -1n } = await handler.load({ ...accounts, snapshots: accountSnapshots }, id);
  return { seconds: (performance.now() - startMs) / 1_000, events: Number(revision) + 1, peakBytes: peak() };
}
