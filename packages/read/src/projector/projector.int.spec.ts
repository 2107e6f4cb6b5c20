import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";
import { describe, expect, test, vi } from "vitest";

import type { Projection } from "../projection.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import {
  listed,
  offerList,
  type PlanEvent,
  planList,
  type planTables,
  priced,
  retired,
  store,
  storeRaw,
} from "../testing/plans.fixture.ts";
import {
  engineWords,
  openPlans,
  startProjector,
  temporaryLocation,
  temporaryPath,
} from "../testing/harness.fixture.ts";

const waitMs = 10_000;

test("tables follow the log, and a caller that waits for a position reads it", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  await store(eventStore, listed(1, "Small"));
  const { projector } = await startProjector(eventStore, database, [planList, offerList]);
  const { position } = await store(eventStore, listed(2, "Large"), priced(2, "499"));
  await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
  const plans = await database.queries.selectFrom("plans").select(["id", "title", "price_cents"]).execute();
  expect(plans).toEqual([
    { id: 1, title: "Small", price_cents: null },
    { id: 2, title: "Large", price_cents: 499 },
  ]);
  await expect(projector.status()).resolves.toEqual([
    { name: "plan_list", version: 1, state: "live", position, behind: 0n, rows: 2, stopped: [] },
    {
      name: "offer_list",
      version: 1,
      state: "live",
      position,
      behind: 0n,
      rows: 1,
      stopped: [],
    },
  ]);
});

test("it runs on the embedded engine, through a restart and a rebuild", async () => {
  const location = await temporaryLocation();
  const path = temporaryPath();
  const open = (): Promise<EventStore> =>
    openEmbeddedEventStore({
      path: `${path}.events`,
      now: () => "2026-01-31T12:00:00.000000Z",
      onFailure: (error) => {
        throw error;
      },
    });
  for (let run = 1; run <= 2; run++) {
    const eventStore = await open();
    const database = await openPlans(location);
    const { projector, stop } = await startProjector(eventStore, database, [planList, offerList], {
      batchSize: 3,
    });
    const events = Array.from({ length: 20 }, (_, index) => [
      listed(100 * run + index),
      priced(index, "100"),
    ]).flat();
    const { position } = await store(eventStore, ...events);
    await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
    await expect(projector.rebuild()).resolves.toEqual([
      { name: "plan_list", events: 40 * run, rows: 20 * run, equal: true },
      { name: "offer_list", events: 40 * run, rows: 20, equal: true },
    ]);
    await stop();
    await database.close();
    await eventStore.close();
  }
});

test("no caller waits longer than its limit", async () => {
  const eventStore = new InMemoryEventStore();
  const { projector } = await startProjector(eventStore, await openPlans(await temporaryLocation()), [
    planList,
  ]);
  await expect(projector.after(99n, { limitMs: 1 })).resolves.toBe(false);
});

test("a new run resumes at the checkpoint", async () => {
  const eventStore = new InMemoryEventStore();
  const location = await temporaryLocation();
  await store(eventStore, listed(1));
  const first = await openPlans(location);
  await (await startProjector(eventStore, first, [planList])).stop();
  await first.close();

  await store(eventStore, listed(2));
  const subscribe = vi.spyOn(eventStore, "subscribe");
  const second = await openPlans(location);
  await startProjector(eventStore, second, [planList]);
  expect(subscribe).toHaveBeenCalledOnce();
  expect(subscribe).toHaveBeenCalledWith(expect.objectContaining({ from: 0n }));
  expect(await second.queries.selectFrom("plans").select("id").execute()).toHaveLength(2);
});

test("the checkpoint advances over events of other streams", async () => {
  const eventStore = new InMemoryEventStore();
  const { projector } = await startProjector(eventStore, await openPlans(await temporaryLocation()), [
    planList,
  ]);
  const { position } = await storeRaw(eventStore, "BalanceCharged.v1", "{}", "account-1");
  await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
  expect(projector.health()).toEqual([{ name: "plan_list", state: "live", position: expect.any(BigInt) }]);
});

test("rows and checkpoint are one transaction: a failure between them leaves neither", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  const { projector, stop } = await startProjector(eventStore, database, [planList]);
  const { connection } = database.storage;
  for (const statement of engineWords.cutPower) await connection.execute(statement);
  const { position } = await store(eventStore, listed(1));
  await expect(stop()).resolves.toBeUndefined();
  await expect(projector.run(new AbortController().signal)).rejects.toThrow("power cut");
  expect(await database.queries.selectFrom("plans").select("id").execute()).toEqual([]);

  for (const statement of engineWords.restorePower) await connection.execute(statement);
  const ended = new AbortController();
  const running = projector.run(ended.signal);
  await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
  expect(await database.queries.selectFrom("plans").select("id").execute()).toHaveLength(1);
  ended.abort();
  await running;
});

async function plansIn({ queries }: Awaited<ReturnType<typeof openPlans>>) {
  return queries.selectFrom("plans").select(["id", "price_cents", "retired"]).orderBy("id").execute();
}

/** A projection that rejects retirements. */
const touchy: Projection<PlanEvent, typeof planTables> = {
  ...planList,
  handlers: {
    ...planList.handlers,
    PlanRetired: (db, { event }) => {
      db.update("plans", { id: event.data.planId }, { retired: true });
      throw new Error("no plan retires here");
    },
  },
};

describe("an event that cannot be handled", () => {
  test("stops its stream in its projection; everything else continues", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const warn = vi.fn();
    const logger = { info: vi.fn(), warn };
    const { projector } = await startProjector(eventStore, database, [touchy, offerList], { logger });
    // One batch: the events before and after the rejected one reach the other projections.
    const appended = [listed(1), priced(1, "100"), retired(1), priced(1, "200"), listed(2)].map((event) =>
      store(eventStore, event),
    );
    const last = (await Promise.all(appended)).at(-1)?.position ?? -1n;
    await expect(projector.after(last, { limitMs: waitMs })).resolves.toBe(true);

    const reason = "PlanRetired.v1 (stream plan-1, revision 2, position 2): no plan retires here";
    expect(projector.stopped()).toMatchObject([
      { projection: "plan_list", stream: "plan-1", revision: 2n, kind: "damaged", isReadable: true, reason },
    ]);
    expect(projector.health()).toEqual([
      { name: "plan_list", state: "live", position: last },
      { name: "offer_list", state: "live", position: last },
    ]);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { projection: "plan_list" },
      `a stream stopped in the read model plan_list before ${reason}`,
    );
    expect(await plansIn(database)).toEqual([
      { id: 1, price_cents: 100, retired: 0 },
      { id: 2, price_cents: null, retired: 0 },
    ]);
    expect(await database.queries.selectFrom("offers").select("price_cents").execute()).toEqual([
      { price_cents: "200" },
    ]);
  });

  test("is tried again by the next process, with its own handlers", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const first = await startProjector(eventStore, database, [touchy]);
    const { position } = await store(eventStore, listed(1), retired(1), priced(1, "300"));
    await first.projector.after(position, { limitMs: waitMs });
    await first.stop();
    const { projector } = await startProjector(eventStore, database, [planList]);
    await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
    await vi.waitFor(() => expect(projector.stopped()).toEqual([]), { timeout: waitMs });
    expect(await plansIn(database)).toEqual([{ id: 1, price_cents: 300, retired: 1 }]);
  });
});

test("names of projections and tables are unique", async () => {
  const eventStore = new InMemoryEventStore();
  const database = await openPlans(await temporaryLocation());
  const twice = startProjector(eventStore, database, [planList, { ...planList, name: "plans_again" }]);
  await expect(twice).rejects.toThrow("plans is there twice");
});
