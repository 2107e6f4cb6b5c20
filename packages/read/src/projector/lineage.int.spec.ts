import type { EventStore } from "@hostledger/store";
import { describe, expect, test, vi } from "vitest";

import type { ReadModelLocation } from "../read-models.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import { openPlans, startProjector, temporaryLocation } from "../testing/harness.fixture.ts";
import { listed, planList, store, storeRaw } from "../testing/plans.fixture.ts";

const waitMs = 10_000;

/** Returns the titles in the read model after it has read the whole log of a store. */
async function titlesOver(eventStore: EventStore, location: ReadModelLocation): Promise<readonly string[]> {
  const database = await openPlans(location);
  const { projector, stop } = await startProjector(eventStore, database, [planList]);
  const last = (await eventStore.lastPosition()) ?? -1n;
  await expect(projector.after(last, { limitMs: waitMs })).resolves.toBe(true);
  await stop();
  const rows = await database.queries.selectFrom("plans").select("title").orderBy("id").execute();
  await database.close();
  return rows.map(({ title }) => title);
}

/** Advances the position with events of other streams, such as EventStoreDB's own. */
async function advance(eventStore: EventStore, count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) await storeRaw(eventStore, "$metadata", "{}", "$stats");
}

/** Returns a store with the events of another store up to a revision of its one stream. */
async function restored(from: EventStore, stream: string, events: number): Promise<InMemoryEventStore> {
  const copy = new InMemoryEventStore();
  for await (const event of from.read(stream, { limit: events })) await copy.append(stream, "any", [event]);
  return copy;
}

describe("a read model", () => {
  test("of a log that was replaced by a longer one is rebuilt", async () => {
    const location = await temporaryLocation();
    const first = new InMemoryEventStore();
    await store(first, listed(1, "Small"), listed(2, "Large"));
    await expect(titlesOver(first, location)).resolves.toEqual(["Small", "Large"]);
    const other = new InMemoryEventStore();
    await store(other, listed(1, "Other"), listed(3, "Another"), listed(4, "Third"));
    await expect(titlesOver(other, location)).resolves.toEqual(["Other", "Another", "Third"]);
  });

  test("of a log that was restored from before its last event is rebuilt, also with other events in its place", async () => {
    const location = await temporaryLocation();
    const first = new InMemoryEventStore();
    await store(first, listed(1, "One"), listed(2, "Two"));
    await storeRaw(first, "PlanListed.v1", JSON.stringify({ planId: 3, title: "Lost" }), "plan-1");
    await expect(titlesOver(first, location)).resolves.toEqual(["One", "Two", "Lost"]);
    const older = await restored(first, "plan-1", 1);
    await store(older, listed(2, "Two"));
    await advance(older, 5);
    await expect(titlesOver(older, location)).resolves.toEqual(["One", "Two"]);
  });

  test("continues if the restored log still has its last event, and receives the later ones", async () => {
    const location = await temporaryLocation();
    const first = new InMemoryEventStore();
    await store(first, listed(1, "Small"));
    await advance(first, 3);
    await expect(titlesOver(first, location)).resolves.toEqual(["Small"]);
    const older = await restored(first, "plan-1", 1);
    await store(older, listed(2, "Since"));
    await advance(older, 3);
    const subscribe = vi.spyOn(older, "subscribe");
    await expect(titlesOver(older, location)).resolves.toEqual(["Small", "Since"]);
    // Not rebuilt: only one subscription, after the last common event.
    expect(subscribe).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ from: 0n }));
  });
});
