import { describe, expect, it } from "vitest";

import { ReadModelNotBuiltError, ReadModelUnavailableError } from "./unavailable.errors.ts";
import { createReadAfter } from "./read-after.ts";
import type { ReadModelDatabase } from "./read-model-database.ts";
import { openPlans, startProjector, temporaryLocation, type PlanSchema } from "./testing/harness.fixture.ts";
import { InMemoryEventStore } from "./testing/in-memory-event-store.ts";
import { listed, planCodec, planList, store } from "./testing/plans.fixture.ts";

const queriesOf = ({ queries }: ReadModelDatabase<PlanSchema>) => ({
  planById: (id: number) =>
    queries.selectFrom("plans").select("title").where("id", "=", id).executeTakeFirst(),
});

describe("what was recorded is read back from its events", () => {
  it.each([
    ["where the read model does not show it in time", false],
    ["if an older backup replaced a database that had shown it", true],
  ])("%s", async (_where, isShown) => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const { projector } = await startProjector(eventStore, database, [planList]);
    const { position } = await store(eventStore, listed(1, "Small"));
    await projector.after(position, { limitMs: 10_000 });
    const { storage } = database;
    await storage.exclusively(() => storage.connection.execute("delete from plans"));
    const readAfter = createReadAfter({
      projector: { after: () => Promise.resolve(isShown) },
      store: eventStore,
      codec: planCodec,
      codecOf: () => planCodec,
      projections: [planList],
      database,
      queriesOf,
    });
    const stream = "plan-1";
    expect(await readAfter({ position }, stream, ({ planById }) => planById(1))).toEqual({ title: "Small" });
    expect(await readAfter({}, stream, ({ planById }) => planById(1))).toEqual({ title: "Small" });
    expect(await readAfter({ position }, stream, ({ planById }) => planById(2))).toBeUndefined();
  });

  it.each([
    ["where its tables are not built", new ReadModelNotBuiltError("no such table")],
    ["where the database does not answer", new ReadModelUnavailableError("connection refused")],
  ])("%s, and no other failure is passed over", async (_where, failure) => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const { position } = await store(eventStore, listed(1, "Small"));
    const failing = (error: Error) =>
      createReadAfter({
        projector: { after: () => Promise.resolve(true) },
        store: eventStore,
        codec: planCodec,
        codecOf: () => planCodec,
        projections: [planList],
        database,
        queriesOf: (read) =>
          read === database ? { planById: () => Promise.reject(error) } : queriesOf(read),
      });
    await expect(failing(failure)({ position }, "plan-1", ({ planById }) => planById(1))).resolves.toEqual({
      title: "Small",
    });
    const other = failing(new Error("something else"))({ position }, "plan-1", ({ planById }) => planById(1));
    await expect(other).rejects.toThrow("something else");
  });
});
