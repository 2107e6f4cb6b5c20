import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describeEventStoreContract } from "../contract/event-store.contract.ts";
import type { EventStore } from "../event-store.port.ts";
import { openTestStore } from "./test-store.fixture.ts";

describeEventStoreContract("embedded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hostledger-event-store-"));
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
      await rm(folder, { recursive: true });
    },
  };
});
