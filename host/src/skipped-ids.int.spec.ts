import { sequenceAggregate } from "@hostledger/core";
import { createCommandHandler } from "@hostledger/store";
import { InMemoryEventStore } from "@hostledger/read/testing";
import { describe, expect, it } from "vitest";

import { lostIds } from "./skipped-ids.ts";

/** A store in which blocks up to these ids are reserved, one event each. */
async function storeWith(lasts: Readonly<Record<string, number>>): Promise<InMemoryEventStore> {
  const store = new InMemoryEventStore();
  const commands = createCommandHandler({ store, recordedBy: "test" });
  for (const [name, last] of Object.entries(lasts)) {
    const context = { commandId: `skip/${name}`, correlationId: name, actor: "process:test" };
    await commands.execute(sequenceAggregate, name, { type: "SkipIds", data: { last } }, context);
  }
  return store;
}

describe("the ids that a store may have lost", () => {
  it("are none if the store has every event that the audit log has signed", async () => {
    const store = await storeWith({ account: 40, invoice: 7 });
    for (const signed of [0, 1, 2])
      expect(await lostIds(store, signed)).toEqual({ lostEvents: 0, ends: new Map() });
  });

  it("are the largest block of each sequence for each event that the audit log has signed and the store lacks", async () => {
    const store = await storeWith({ account: 40, invoice: 7 });
    const { lostEvents, ends } = await lostIds(store, 5);
    expect(lostEvents).toBe(3);
    expect(ends.get("account")).toBe(40 + 3 * 1_000);
    expect(ends.get("invoice")).toBe(7 + 3 * 1_000);
    expect(ends.get("domain")).toBe(3 * 1_000);
  });

  it("end at the largest id that staff may name", async () => {
    const store = await storeWith({ account: 999_999_990 });
    expect((await lostIds(store, 1_000)).ends.get("account")).toBe(1_000_000_000);
  });
});
