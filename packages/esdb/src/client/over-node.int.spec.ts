import { describeEventStoreContract } from "@hostledger/event-store/contract";

import { startServedStore } from "./served-store.fixture.ts";

describeEventStoreContract("EventStoreDB adapter over the node", async () => {
  const served = await startServedStore();
  return {
    store: served.store,
    reopen: async () => served.restart(),
    close: async () => served.stop(),
  };
});
