import { CorruptStreamError, mendingAggregate, type CategoryCodec, type DomainEvent } from "@hostledger/core";
import { createCommandHandler, type EventStore } from "@hostledger/store";
import { describe, expect, test, vi } from "vitest";

import type { ReadModelDatabase } from "../read-model-database.ts";
import {
  engineWords,
  openPlans,
  planProjector,
  startProjector,
  temporaryLocation,
  type PlanSchema,
} from "../testing/harness.fixture.ts";
import { InMemoryEventStore } from "../testing/in-memory-event-store.ts";
import {
  listed,
  offerList,
  planCodec,
  planList,
  praised,
  priced,
  store,
  storeRaw,
} from "../testing/plans.fixture.ts";
import { createProjector } from "./create-projector.ts";
import type { Projector } from "./projector.ts";

const waitMs = 10_000;
const poll = { timeout: waitMs };

async function titlesIn({ queries }: ReadModelDatabase<PlanSchema>): Promise<readonly string[]> {
  const rows = await queries.selectFrom("plans").select("title").orderBy("id").execute();
  return rows.map(({ title }) => title);
}

async function pricesIn({ queries }: ReadModelDatabase<PlanSchema>): Promise<readonly string[]> {
  const rows = await queries.selectFrom("offers").select("price_cents").orderBy("plan_id").execute();
  return rows.map(({ price_cents }) => price_cents);
}

/** Lets staff skip the event that stopped a stream. */
async function mend(eventStore: EventStore, projector: Projector, stream: string): Promise<void> {
  const stop = projector.stopped().find((each) => each.stream === stream);
  if (stop === undefined) throw new Error(`${stream} is not stopped`);
  const { revision, eventId, type: eventType } = stop;
  const at = "2026-03-01T10:00:00.000000Z";
  const data = { stream, revision: Number(revision), eventId, eventType, reason: "A script wrote it.", at };
  const context = { commandId: eventId, correlationId: "c-1", actor: "staff:ada" };
  const commands = createCommandHandler({ store: eventStore, recordedBy: "test" });
  await commands.execute(mendingAggregate, stream, { type: "MendStream", data }, context);
}

describe("an event of other software", () => {
  test.each(["{}", "none"])("with the metadata %s is passed over, and counted", async (metadata) => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const { projector } = await startProjector(eventStore, database, [planList, offerList]);
    await storeRaw(eventStore, "CrmNoteTaken", "none", "plan-1", metadata);
    await storeRaw(eventStore, "constructor.v1", "{}", "plan-1", metadata);
    const { position } = await store(eventStore, listed(1, "Small"));
    await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
    expect(projector.stopped()).toEqual([]);
    expect(projector.foreignEvents()).toBe(2);
    expect(await titlesIn(database)).toEqual(["Small"]);
    await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true }, { equal: true }]);
    expect(projector.foreignEvents()).toBe(2);
  });
});

describe("an event that cannot be read", () => {
  test.each([
    ["with data that is not JSON", "PlanListed.v1", "none", undefined, "damaged"],
    ["with wrong data", "PlanListed.v1", "{}", undefined, "damaged"],
    ["whose type all read models ignore", "PlanPraised.v1", "{}", undefined, "damaged"],
    ["without metadata", "PlanListed.v1", '{"planId":7}', "", "damaged"],
    ["with metadata of others", "PlanListed.v1", '{"planId":7}', '{"actor":"crm"}', "damaged"],
    ["of other streams", "BalanceCharged.v1", "{}", undefined, "damaged"],
    ["of a newer version", "PlanListed.v2", "{}", undefined, "newer"],
    ["of a newer name", "PlanPledged.v1", "{}", undefined, "newer"],
  ])("%s stops its own stream in all read models", async (_what, type, data, metadata, kind) => {
    const eventStore = new InMemoryEventStore();
    const location = await temporaryLocation();
    const database = await openPlans(location);
    const { projector, stop } = await startProjector(eventStore, database, [planList, offerList]);
    await store(eventStore, listed(1, "Small"), priced(1, "100"));
    const { revision } = await storeRaw(eventStore, type, data, "plan-1", metadata);
    const { position } = await store(eventStore, priced(1, "200"), listed(2, "Large"), priced(2, "300"));
    await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);

    const rows = async (): Promise<void> => {
      expect(await titlesIn(database)).toEqual(["Small", "Large"]);
      expect(await pricesIn(database)).toEqual(["100", "300"]);
    };
    await rows();
    const stops = ["plan_list", "offer_list"].map((projection) => ({
      projection,
      stream: "plan-1",
      revision,
      type,
      kind,
      isReadable: false,
      reason: expect.stringContaining(`${type} (stream plan-1, revision 2, position 2): `) as unknown,
    }));
    expect(projector.stopped()).toMatchObject(stops);
    await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true }, { equal: true }]);
    expect(projector.stopped()).toMatchObject(stops);
    await rows();
    await stop();

    const again = await startProjector(eventStore, database, [planList, offerList]);
    const { position: later } = await store(eventStore, listed(1, "Renamed"), listed(3, "Huge"));
    await expect(again.projector.after(later, { limitMs: waitMs })).resolves.toBe(true);
    expect(again.projector.stopped()).toMatchObject(stops);
    expect(await titlesIn(database)).toEqual(["Small", "Large", "Huge"]);
  });

  test("is met in the first build as well", async () => {
    const eventStore = new InMemoryEventStore();
    await storeRaw(eventStore, "PlanListed.v1", "none");
    await store(eventStore, listed(2, "Large"));
    const database = await openPlans(await temporaryLocation());
    const { projector } = await startProjector(eventStore, database, [planList, offerList]);
    expect(projector.stopped().map(({ stream }) => stream)).toEqual(["plan-1", "plan-1"]);
    expect(projector.health()).toMatchObject([{ state: "live" }, { state: "live" }]);
    expect(await titlesIn(database)).toEqual(["Large"]);
  });

  test("stops its stream with its batch: a failure between the two leaves neither", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    await store(eventStore, listed(1, "Small"));
    await (await startProjector(eventStore, database, [planList, offerList])).stop();
    const { storage } = database;
    const run = (statements: readonly string[]): Promise<void> =>
      storage.exclusively(async () => {
        for (const statement of statements) await storage.connection.execute(statement);
      });
    await run(engineWords.cutPower);
    await storeRaw(eventStore, "PlanListed.v1", "none");
    const failing = await planProjector(eventStore, database, [planList, offerList]);
    await expect(failing.run(new AbortController().signal)).rejects.toThrow("power cut");
    await run(engineWords.restorePower);
    expect(await storage.exclusively(() => storage.stoppedStreams.all())).toEqual([]);

    const { position } = await store(eventStore, priced(1, "100"), listed(2, "Large"));
    const again = await startProjector(eventStore, database, [planList, offerList]);
    await expect(again.projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
    expect(await storage.exclusively(() => storage.stoppedStreams.all())).toHaveLength(2);
    expect(await titlesIn(database)).toEqual(["Small", "Large"]);
    expect(await pricesIn(database)).toEqual([]);
  });

  test("is passed over in all read models once staff have mended its stream", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const { projector, stop } = await startProjector(eventStore, database, [planList, offerList]);
    await store(eventStore, listed(1, "Small"));
    await storeRaw(eventStore, "PlanListed.v1", "none");
    const { position } = await store(eventStore, priced(1, "200"), praised(2));
    await projector.after(position, { limitMs: waitMs });
    expect(await pricesIn(database)).toEqual([]);
    await mend(eventStore, projector, "plan-1");
    await vi.waitFor(() => expect(projector.stopped()).toEqual([]), poll);
    expect(await pricesIn(database)).toEqual(["200"]);

    // The next damaged event of the stream stops it again.
    await storeRaw(eventStore, "PlanListed.v1", "none");
    await vi.waitFor(() => expect(projector.stopped()).toMatchObject([{ revision: 3n }, {}]), poll);
    await stop();
    await mend(eventStore, projector, "plan-1");
    const again = await startProjector(eventStore, database, [planList, offerList]);
    await vi.waitFor(() => expect(again.projector.stopped()).toEqual([]), poll);
    // The rebuild after the mend may still run, and two at once are refused.
    await vi.waitFor(
      async () => expect(await again.projector.rebuild()).toMatchObject([{ equal: true }, { equal: true }]),
      poll,
    );
  });

  test("of a newer version is taken after the upgrade, and its rows catch up", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const older = await startProjector(eventStore, database, [planList, offerList]);
    await storeRaw(eventStore, "PlanListed.v2", JSON.stringify({ planId: 1, title: "Small" }));
    const { position } = await store(eventStore, priced(1, "200"));
    await older.projector.after(position, { limitMs: waitMs });
    expect(older.projector.stopped()).toMatchObject([{ kind: "newer" }, { kind: "newer" }]);
    await older.stop();

    const newerCodec: typeof planCodec = {
      ...planCodec,
      knows: (type) => type === "PlanListed.v2" || planCodec.knows(type),
      decode: (type, data) => planCodec.decode(type.replace(".v2", ".v1"), data),
    };
    const newer = await createProjector({
      store: eventStore,
      database,
      codec: newerCodec,
      codecOf: () => newerCodec,
      projections: [planList, offerList],
    });
    const ended = new AbortController();
    const running = newer.run(ended.signal);
    await vi.waitFor(() => expect(newer.stopped()).toEqual([]), poll);
    expect(await titlesIn(database)).toEqual(["Small"]);
    expect(await pricesIn(database)).toEqual(["200"]);
    ended.abort();
    await running;
  });

  test("names the account that its stream was about", async () => {
    const eventStore = new InMemoryEventStore();
    const { projector } = await startProjector(eventStore, await openPlans(await temporaryLocation()), [
      planList,
    ]);
    await storeRaw(eventStore, "PlanListed.v1", JSON.stringify({ planId: 1, accountId: 7 }));
    await store(eventStore, priced(1, "100"));
    await storeRaw(eventStore, "PlanListed.v1", JSON.stringify({ accountId: 8 }));
    await vi.waitFor(() => expect(projector.stopped()).toMatchObject([{ accountId: 7 }]), poll);
  });
});

/** Rules of a plan: a repeated price contradicts its stream. */
const pricedOnce: CategoryCodec = {
  ...planCodec,
  fold: {
    initialState: [],
    evolve(prices: readonly unknown[], { type, data }: DomainEvent) {
      if (type !== "PlanPriced" || !("priceCents" in data)) return prices;
      const { priceCents } = data;
      if (prices.includes(priceCents)) throw new CorruptStreamError(type, "priced");
      return [...prices, priceCents];
    },
  },
};
const codecOf = (): CategoryCodec => pricedOnce;

describe("an event that contradicts the events before it", () => {
  test("stops its own stream in all read models, also in those that would take it, until staff mend it", async () => {
    const eventStore = new InMemoryEventStore();
    const database = await openPlans(await temporaryLocation());
    const started = await startProjector(eventStore, database, [planList, offerList], { codecOf });
    const { projector } = started;
    await store(eventStore, listed(1, "Small"), priced(1, "100"), listed(2, "Large"), priced(2, "100"));
    await store(eventStore, priced(1, "200"), priced(1, "100"), priced(1, "300"));
    const { position } = await store(eventStore, priced(2, "400"));
    await expect(projector.after(position, { limitMs: waitMs })).resolves.toBe(true);
    const stops = ["plan_list", "offer_list"].map((projection) => ({
      projection,
      stream: "plan-1",
      revision: 3n,
      kind: "damaged",
      isReadable: false,
      reason: expect.stringContaining('PlanPriced cannot follow the state "priced"') as unknown,
    }));
    expect(projector.stopped()).toMatchObject(stops);
    expect(await pricesIn(database)).toEqual(["100", "200", "100", "400"]);
    await expect(projector.rebuild()).resolves.toMatchObject([{ equal: true }, { equal: true }]);
    expect(projector.stopped()).toMatchObject(stops);
    await started.stop();

    // Another process without cached results.
    const again = await startProjector(eventStore, database, [planList, offerList], {
      codecOf: () => pricedOnce,
    });
    expect(again.projector.stopped()).toMatchObject(stops);
    await mend(eventStore, again.projector, "plan-1");
    await vi.waitFor(() => expect(again.projector.stopped()).toEqual([]), poll);
    expect(await pricesIn(database)).toEqual(["100", "200", "300", "100", "400"]);

    // The skipped event changed nothing, so another price of 100 contradicts the first.
    await store(eventStore, priced(1, "100"));
    await vi.waitFor(() => expect(again.projector.stopped()).toMatchObject([{ revision: 5n }, {}]), poll);
  });
});
