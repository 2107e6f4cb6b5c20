import { EventStoreFailedError, EventStoreOverloadedError } from "@hostledger/store";
import { presentOwner } from "@hostledger/runtime/async";
import { describe, expect, it } from "vitest";

import { RunOutOfSightError } from "./run-in-hand.ts";
import { refusedWith, unavailable } from "./scripted-store.fixture.ts";
import { accepted, context, pass, settle, openHarness, type Harness } from "./harness.fixture.ts";

const never = (): Promise<never> => new Promise(() => undefined);

/** Simulates a run whose owner died before the carrier answered. */
async function cutOff(harness: Harness): Promise<void> {
  harness.another("owner-dead", { ship: [never] }).manager.start("parcel-1", accepted, context);
  await settle();
  harness.diary.length = 0;
}

describe("a run that is taken up", () => {
  it("records that it was taken over", async () => {
    const harness = openHarness();
    await cutOff(harness);
    await harness.manager.takeUp("parcel-1");
    await settle();
    expect(harness.diary).toEqual(["stored ParcelTakenOver", "ship", "stored ParcelShipped"]);
  });

  it("continues in the name of its customer", async () => {
    const harness = openHarness({ ship: ["lost"] });
    await cutOff(harness);
    await harness.manager.takeUp("parcel-1");
    await settle();
    const actors = harness.store.eventsOf("parcel-1").map(({ metadata }) => metadata.includes('"account:7"'));
    expect(actors).toEqual([true, true, true, true, true]);
  });

  it("calls the carrier on behalf of the customer for whom it began", async () => {
    const owners: (string | undefined)[] = [];
    const harness = openHarness({
      ship: [
        () => {
          owners.push(presentOwner());
          return Promise.resolve({ type: "shipped" });
        },
      ],
    });
    await cutOff(harness);
    await harness.manager.takeUp("parcel-1");
    await settle();
    expect(owners).toEqual(["account:7"]);
  });

  it("is left alone where it is active, also when it is taken up twice at the same time", async () => {
    const harness = openHarness({ ship: [never] });
    await cutOff(harness);
    const { manager } = harness;
    await Promise.all([manager.takeUp("parcel-1"), manager.takeUp("parcel-1")]);
    await manager.takeUp("parcel-1");
    await settle();
    expect(harness.diary).toEqual(["stored ParcelTakenOver", "ship"]);
    expect(harness.log).toEqual(["takes over an unfinished run"]);
  });

  it("and has ended does nothing", async () => {
    const harness = openHarness();
    harness.manager.start("parcel-1", accepted, context);
    await settle();
    harness.diary.length = 0;
    await harness.manager.takeUp("parcel-1");
    await settle();
    expect(harness.diary).toEqual([]);
    expect(harness.manager.activeRuns).toBe(0);
  });
});

describe("two owners of one run", () => {
  it("take it over at the same moment: exactly one continues, the other stops without an error", async () => {
    const one = openHarness();
    await cutOff(one);
    const two = one.another("owner-2");
    await Promise.all([one.manager.takeUp("parcel-1"), two.manager.takeUp("parcel-1")]);
    await settle();
    expect(one.diary).toEqual(["stored ParcelTakenOver", "ship", "stored ParcelShipped"]);
    expect(new Set([...one.log, ...two.log])).toEqual(
      new Set(["takes over an unfinished run", "another process drives the run"]),
    );
    expect([one.manager.activeRuns, two.manager.activeRuns]).toEqual([0, 0]);
  });

  it("begin it at the same moment: the carrier is called once", async () => {
    const one = openHarness();
    const two = one.another("owner-2");
    one.manager.start("parcel-1", accepted, context);
    two.manager.start("parcel-1", accepted, context);
    await settle();
    expect(one.diary.filter((line) => line === "ship")).toEqual(["ship"]);
    expect(one.store.typesOf("parcel-1")).toEqual(["ParcelAccepted", "ParcelPacked", "ParcelShipped"]);
  });

  it("never write different events under one id, which the store would take for a repeat", async () => {
    const one = openHarness({ ship: [never] });
    const two = one.another("owner-2");
    one.manager.start("parcel-1", accepted, context);
    two.manager.start("parcel-1", accepted, context);
    await settle();
    const ids = one.store.asked.flatMap(({ events }) => events.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
  });

  it("answer the waiting callers of the one that stops", async () => {
    const one = openHarness();
    await cutOff(one);
    const two = one.another("owner-2", { ship: [never] });
    await two.manager.takeUp("parcel-1");
    await one.manager.takeUp("parcel-1");
    await expect(one.manager.until("parcel-1", () => undefined)).rejects.toThrow(RunOutOfSightError);
  });
});

describe("an append of a run's events", () => {
  it.each([
    ["of unknown outcome", unavailable({ stored: false })],
    ["of unknown outcome that was stored", unavailable({ stored: true })],
    ["that a busy store turned away", refusedWith(new EventStoreOverloadedError("busy"))],
  ])("%s is repeated unchanged", async (_, fault) => {
    const { manager, store, diary } = openHarness();
    store.plan(fault, fault);
    manager.start("parcel-1", accepted, context);
    await pass(40 + 80);
    expect(diary).toEqual(["pack", "stored ParcelAccepted ParcelPacked", "ship", "stored ParcelShipped"]);
    const [first, second, third] = store.asked;
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });

  it("is given up after eight attempts: the run stops, and can begin again", async () => {
    const { manager, store, log, diary } = openHarness();
    store.plan(...Array.from({ length: 8 }, () => unavailable({ stored: false })));
    manager.start("parcel-1", accepted, context);
    await pass(20_000);
    expect(store.asked).toHaveLength(8);
    expect(log).toEqual(["the run stopped; it will be taken up again"]);
    expect(manager.isActive("parcel-1")).toBe(false);

    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary.at(-1)).toBe("stored ParcelShipped");
  });

  it("has ids of its own when the same process takes the run up again, because it may decide differently", async () => {
    const { manager, store } = openHarness();
    store.plan(...Array.from({ length: 8 }, () => unavailable({ stored: false })));
    manager.start("parcel-1", accepted, context);
    await pass(20_000);
    manager.start("parcel-1", accepted, context);
    await settle();
    const [before, after] = [store.asked[0], store.asked[8]].map((append) =>
      append?.events.map(({ id }) => id),
    );
    expect(after).toHaveLength(2);
    expect(after?.some((id) => before?.includes(id) === true)).toBe(false);
  });

  it("that fails for good stops the run without another step", async () => {
    const { manager, store, diary } = openHarness();
    store.plan(refusedWith(new EventStoreFailedError("the disk is gone")));
    manager.start("parcel-1", accepted, context);
    await settle();
    expect(diary).toEqual(["pack"]);
    expect(manager.activeRuns).toBe(0);
  });
});

describe("staff's word", () => {
  it("continues a suspended run", async () => {
    const { manager, diary } = openHarness({ pack: ["failed", "packed"] });
    manager.start("parcel-1", accepted, context);
    await settle();
    diary.length = 0;
    await expect(manager.interrupt("parcel-1", { type: "retried" })).resolves.toBe(true);
    await settle();
    expect(diary).toEqual(["pack", "stored ParcelUnparked ParcelPacked", "ship", "stored ParcelShipped"]);
  });

  it("is refused for a run that continues on its own", async () => {
    const { manager } = openHarness({ ship: [never] });
    manager.start("parcel-1", accepted, context);
    await settle();
    await expect(manager.interrupt("parcel-1", { type: "retried" })).resolves.toBe(false);
  });

  it("is refused for a run that was interrupted, has ended or never existed", async () => {
    const harness = openHarness();
    await cutOff(harness);
    const { manager, store } = harness;
    await expect(manager.interrupt("parcel-1", { type: "retried" })).resolves.toBe(false);
    await manager.takeUp("parcel-1");
    await settle();
    await expect(manager.interrupt("parcel-1", { type: "retried" })).resolves.toBe(false);
    await expect(manager.interrupt("parcel-9", { type: "retried" })).resolves.toBe(false);
    expect(store.typesOf("parcel-9")).toEqual([]);
  });
});
