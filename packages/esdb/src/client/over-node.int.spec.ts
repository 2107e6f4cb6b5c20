import { describeEventStoreContract } from "@hostledger/event-store/contract";
import { describe } from "vitest";

import { startServedStore } from "./served-store.fixture.ts";

describe.each([
  ["each subscription by itself", false],
  ["one tail of the log for all subscriptions", true],
])("%s", (_, sharesTail) => {
  describeEventStoreContract("EventStoreDB adapter over the node", async () => {
    const served = await startServedStore({ sharesTail });
    return {
      store: served.store,
      reopen: async () => served.restart(),
      close: async () => served.stop(),
    };
  });
});
