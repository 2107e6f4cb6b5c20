import { StatementSync } from "node:sqlite";

import { openEventStoreDb } from "@hostledger/esdb";
import { silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished, vi } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import { startStandaloneNode } from "./event-store-node.ts";

const event = (id: number) => ({
  id: `00000000-0000-4000-8000-00000000000${String(id)}`,
  type: "Noted.v1",
  data: "{}",
  metadata: "{}",
});

it("a node answers from memory whether anybody has written to a stream since", async () => {
  const node = await startStandaloneNode({
    configuration: readConfiguration({
      HOSTLEDGER_DATA: directoryOfTest(),
      HOSTLEDGER_ESDB_PORT: "0",
      HOSTLEDGER_ESDB_WRITERS: "anyone",
    }),
    logger: silentLogger(),
    onFatal(error) {
      throw error;
    },
  });
  const store = await openEventStoreDb({ connectionString: node.connectionString });
  onTestFinished(async () => {
    await store.close();
    await node.close();
  });
  const revisionsFrom = async (from: bigint): Promise<bigint[]> => {
    const revisions: bigint[] = [];
    for await (const { revision } of store.read("note-1", { from })) revisions.push(revision);
    return revisions;
  };
  expect(await revisionsFrom(0n)).toEqual([]);
  await store.append("note-1", "no-stream", [event(1)]);

  const looks = vi.spyOn(StatementSync.prototype, "iterate");
  onTestFinished(() => {
    looks.mockRestore();
  });
  expect(await revisionsFrom(1n)).toEqual([]);
  await store.append("note-1", 0n, [event(2)]);
  expect(await revisionsFrom(2n)).toEqual([]);
  expect(looks).not.toHaveBeenCalled();
  expect(await revisionsFrom(0n)).toEqual([0n, 1n]);
});
