import type { EventStore } from "@hostledger/store";
import { randomIds } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { describe, it, onTestFinished } from "vitest";

import { startInstance } from "../support/instance.ts";
import { openShop, registerName } from "../support/shop.ts";
import { customerAt } from "../support/staff-client.ts";

/** An event that cannot be read in a stream that every start reads (ADR 0026). */

describe("an own event that cannot be read", () => {
  it.each([
    "approval-all",
    "auditlog-all",
    "auditor-1",
    "clock-all",
    "comparison-domains",
    "rewind-all",
    "servicecredential-all",
    "staff-all",
    "storereader-all",
  ])("in %s does not prevent a start and sales", async (stream) => {
    const directory = temporaryDirectory();
    onTestFinished(() => {
      directory.remove();
    });
    const stores: EventStore[] = [];
    const decorate = {
      store(opened: EventStore) {
        stores.push(opened);
        return opened;
      },
    };
    const shop = await openShop({ data: directory.path, decorate });
    const [store] = stores;
    const damaged = { id: randomIds.uuid(), type: "BalanceCharged.v1", data: "none", metadata: "none" };
    await store?.append(stream, "any", [damaged]);
    await registerName(shop.owner, "before.com");
    await shop.instance.close();
    const again = await startInstance({ data: directory.path });
    onTestFinished(() => again.close());
    await registerName(customerAt(again.baseUrl, shop.owner), "after.com");
  });
});
