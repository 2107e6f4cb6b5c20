import { describe, expect, it } from "vitest";

import type { Projection } from "../projection.ts";
import { openPlans, startProjector, temporaryLocation } from "../testing/harness.fixture.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import {
  listed,
  planList,
  retired,
  store,
  type PlanEvent,
  type planTables,
} from "../testing/plans.fixture.ts";

/** Plans on sale: a listing adds a row and a retirement removes it, like the rows of runs. */
const onSale: Projection<PlanEvent, typeof planTables> = {
  ...planList,
  handlers: {
    ...planList.handlers,
    PlanRetired: (db, { event }) => {
      db.delete("plans", { id: event.data.planId });
    },
  },
};

/** Starts a projector over a filled log, so that all events come in one batch. */
async function following(...events: readonly PlanEvent[]) {
  const eventStore = new InMemoryEventStore();
  const { position } = await store(eventStore, ...events);
  const database = await openPlans(await temporaryLocation());
  const { projector } = await startProjector(eventStore, database, [onSale]);
  const rows = () => database.queries.selectFrom("plans").select(["id", "title"]).orderBy("id").execute();
  return { eventStore, projector, position, rows };
}

describe("a row that comes and goes within a batch", () => {
  it("leaves nothing, and its neighbours stay", async () => {
    const { projector, position, rows } = await following(
      listed(1),
      ...Array.from({ length: 50 }, (_, at) => [listed(at + 2), retired(at + 2)]).flat(),
      listed(99),
    );
    await expect(projector.after(position, { limitMs: 10_000 })).resolves.toBe(true);
    expect((await rows()).map(({ id }) => id)).toEqual([1, 99]);
    await expect(projector.rebuild("plan_list")).resolves.toMatchObject([{ equal: true }]);
  });

  it("may come once more", async () => {
    const { rows } = await following(listed(1, "First"), retired(1), listed(1, "Second"));
    expect(await rows()).toEqual([{ id: 1, title: "Second" }]);
  });

  it("stops its stream if it is invalid, also if it is deleted later", async () => {
    const { eventStore, projector, rows } = await following(listed(1, "First"));
    const { position } = await store(eventStore, listed(1, "Again"), retired(1), listed(2));
    await expect(projector.after(position, { limitMs: 10_000 })).resolves.toBe(true);
    expect(projector.stopped()).toMatchObject([
      {
        stream: "plan-1",
        isReadable: true,
        reason: expect.stringMatching(/PlanListed.*already has a row with the key 1/) as unknown,
      },
    ]);
    expect(await rows()).toEqual([
      { id: 1, title: "First" },
      { id: 2, title: "Plan 2" },
    ]);
  });

  it("stops its stream in the first build, too", async () => {
    const { projector, rows } = await following(listed(1, "First"), listed(1, "Again"), retired(1));
    expect(projector.stopped()).toMatchObject([
      { reason: expect.stringContaining("already has a row with the key 1") as unknown },
    ]);
    expect(await rows()).toEqual([{ id: 1, title: "First" }]);
  });
});
