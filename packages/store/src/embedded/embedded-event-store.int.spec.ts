import { join } from "node:path";

import { directoryOfTest } from "@hostledger/runtime/testing";

import { describeEventStoreContract } from "../contract/event-store.contract.ts";
import type { EventStore } from "../event-store.port.ts";
import { openTestStore } from "./test-store.fixture.ts";

describeEventStoreContract("embedded", async () => {
  const folder = directoryOfTest();
  const open = (): Promise<EventStore> => openTestStore(join(folder, "events.sqlite"));
  let store = await open();
  return {
    store,
    tellsPositionsAtOnce: true,
    reopen: async () => {
      await store.close();
      store = await open();
      return store;
    },
    close: async () => {
      await store.close();
    },
  };
});
