import { virtualClock } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import {
  openPlans,
  startProjector,
  temporaryLocation,
  temporaryPath,
  type HarnessOptions,
} from "../testing/harness.fixture.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import { listed, planList, priced, store } from "../testing/plans.fixture.ts";

/** Starts a projector that pauses after its first commit, on the engine of the test run. */
async function startResting(options: HarnessOptions) {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  const { projector, stop } = await startProjector(eventStore, database, [planList], options);
  await projector.after((await store(eventStore, listed(1))).position, { limitMs: 20_000 });
  return {
    projector,
    eventStore,
    plans: async () =>
      (await database.queries.selectFrom("plans").select("id").orderBy("id").execute()).length,
    stop,
    list: async (id: number) => (await store(eventStore, listed(id), priced(id, "100"))).position,
  };
}

const anHour = { restMs: 3_600_000 };

it("pauses after a commit until a caller waits, and ends with its signal", async () => {
  const { projector, stop, list } = await startResting(anHour);
  for (const id of [2, 3, 4]) expect(await projector.after(await list(id), { limitMs: 20_000 })).toBe(true);
  await list(5);
  await stop();
});

it("continues its pause for patient callers", async () => {
  const { projector, list } = await startResting(anHour);
  const position = await list(2);
  expect(await projector.after(position, { limitMs: 100, isUrgent: false })).toBe(false);
  const inNoHurry = projector.after(position, { limitMs: 20_000, isUrgent: false });
  expect(await projector.after(position, { limitMs: 20_000 })).toBe(true);
  expect(await inNoHurry).toBe(true);
});

it("pauses for at most its time, by the given timing", async () => {
  const { projector, list } = await startResting({ ...anHour, timing: virtualClock() });
  expect(await projector.after(await list(2), { limitMs: 20_000, isUrgent: false })).toBe(true);
});

it("shows all that was stored to who asks for it", async () => {
  const { projector, list, plans } = await startResting(anHour);
  await list(2);
  expect(await plans()).toBe(1);
  await projector.after("end");
  expect(await plans()).toBe(2);
  await projector.after("end");
});

it("does not pause in a single process on a store with other writers", async () => {
  const eventStore = Object.assign(new InMemoryEventStore(), { shared: true });
  const database = await openPlans({ kind: "sqlite", path: temporaryPath() });
  const { projector } = await startProjector(eventStore, database, [planList], anHour);
  for (const id of [1, 2, 3]) {
    const { position } = await store(eventStore, listed(id));
    expect(await projector.after(position, { limitMs: 20_000, isUrgent: false })).toBe(true);
  }
});
