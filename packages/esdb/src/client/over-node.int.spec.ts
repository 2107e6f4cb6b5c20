import { describeEventStoreContract } from "@hostledger/store/contract";
import { describe } from "vitest";

import { startServedStore } from "./served-store.fixture.ts";

describe.each([
  ["each subscription by itself", {}],
  ["one tail of the log for all subscriptions", { sharesTail: true }],
  ["a tail that the node gathers", { sharesTail: true, gatherMs: 20 }],
])("%s", (_, options) => {
  describeEventStoreContract("EventStoreDB adapter over the node", async () => {
    const served = await startServedStore(options);
    return {
      store: served.store,
      reopen: async () => served.restart(),
      close: async () => served.stop(),
    };
  });
});
