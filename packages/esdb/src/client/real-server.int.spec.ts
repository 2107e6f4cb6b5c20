import { describe, expect, it } from "vitest";
import { describeEventStoreContract } from "@hostledger/store/contract";
import { appendLimits, type EventStore } from "@hostledger/store";

import { openEventStoreDb } from "./eventstoredb-event-store.adapter.ts";

/** The server to run the contract on, when there is one: `pnpm test:eventstore` insists on it. */
const { EVENTSTORE_URL: connectionString } = process.env;

if (connectionString === undefined) {
  describe("EventStoreDB adapter over a real server", () => {
    it("needs EVENTSTORE_URL, and without it runs over the node only", () => {
      expect(process.env).not.toHaveProperty("EVENTSTORE_URL");
    });
  });
} else {
  describeEventStoreContract("EventStoreDB adapter over a real server", async () => {
    const open = (): Promise<EventStore> => openEventStoreDb({ connectionString });
    let store = await open();
    return {
      store,
      // A server may count the types of the events, too.
      largestAppendBytes: appendLimits.bytes - 1_024,
      // The server itself is not ours to restart.
      reopen: async () => {
        await store.close();
        store = await open();
        return store;
      },
      close: () => store.close(),
    };
  });
}
