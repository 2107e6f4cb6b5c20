import { join } from "node:path";

import { openEmbeddedEventStore, type EventStore } from "@hostledger/store";
import { type Clock, randomIds, realTiming, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { openClockWatch, type ClockWatch } from "./clock-watch.ts";

const minute = 60_000;
const day = 86_400_000;
const start = Date.UTC(2026, 10, 21);
const staff = { correlationId: "confirmation", actor: "staff:ann" };

let store: EventStore;
let clockMs: number;
let monotonicMs: number;
/** Milliseconds by which the process's clock is ahead of the database's; undefined without a database. */
let aheadMs: number | undefined;

const instantOf = (epochMs: number): string => new Date(epochMs).toISOString().replace("Z", "000Z");
const clock: Clock = {
  ...realTiming,
  now: () => instantOf(clockMs),
  epochMilliseconds: () => clockMs,
  monotonicMilliseconds: () => monotonicMs,
};

beforeEach(async () => {
  clockMs = start;
  monotonicMs = 1_000;
  aheadMs = undefined;
  store = await openEmbeddedEventStore({
    path: join(directoryOfTest(), "events.sqlite"),
    now: () => clock.now(),
    // Disables caching of streams, as with several processes.
    shared: true,
    onFailure(error) {
      throw error;
    },
  });
  onTestFinished(() => store.close());
});

/** Time goes by, for every clock alike. */
function pass(milliseconds: number): void {
  clockMs += milliseconds;
  monotonicMs += milliseconds;
}

/** A process that starts now. */
async function open(isMovedAhead = false): Promise<ClockWatch> {
  return openClockWatch({
    store,
    newestEventAt: await store.lastTime?.(),
    clock,
    isMovedAhead,
    expectedMilliseconds: () => (aheadMs === undefined ? undefined : clockMs - aheadMs),
    ids: randomIds,
    logger: silentLogger(),
  });
}

/** Something happens now, for example an order. */
async function happen(): Promise<void> {
  const event = { id: randomIds.uuid(), type: "Something.v1", data: "{}", metadata: "{}" };
  await store.append("somewhere-1", "any", [event]);
}

async function jumps(): Promise<readonly { readonly type: string; readonly metadata: unknown }[]> {
  const events = [];
  for await (const { type, metadata } of store.read("clock-all"))
    events.push({ type, metadata: JSON.parse(metadata) as unknown });
  return events;
}

describe("a clock that goes as it should", () => {
  it("is trusted, in an empty store and after days without events, without a report", async () => {
    const first = await open();
    pass(day);
    await first.look();
    expect([first.isTrusted(), first.state()]).toEqual([true, "trusted"]);
    await happen();
    pass(30 * day);
    expect((await open()).isTrusted()).toBe(true);
    expect(await first.accept(staff)).toEqual([]);
    expect(await jumps()).toEqual([]);
  });
});

describe("a clock that contradicts the events at a start", () => {
  it("is not trusted until staff confirm it, which is an event of theirs", async () => {
    await happen();
    clockMs -= 52 * 7 * day;
    const watch = await open();
    expect([watch.isTrusted(), watch.state()]).toEqual([false, "behind-not-confirmed"]);
    const confirmed = await watch.accept(staff);
    expect(confirmed).toMatchObject([
      { direction: "behind", expectedAt: instantOf(start), clockAt: instantOf(clockMs) },
    ]);
    expect([watch.isTrusted(), watch.state()]).toEqual([true, "trusted"]);
    expect(await jumps()).toMatchObject([
      { type: "ClockJumpNoticed.v2", metadata: { actor: "process:clock-watch" } },
      { type: "ClockAccepted.v1", metadata: { actor: "staff:ann" } },
    ]);
  });

  it("stays untrusted over restarts, despite orders meanwhile, and is reported once", async () => {
    await happen();
    clockMs -= 52 * 7 * day;
    for (let restart = 0; restart < 3; restart += 1) {
      expect((await open()).isTrusted()).toBe(false);
      await happen();
      pass(day);
    }
    expect(await jumps()).toHaveLength(1);
  });

  it("stays confirmed over restarts, until it jumps again", async () => {
    await happen();
    clockMs -= 52 * 7 * day;
    await (await open()).accept(staff);
    pass(day);
    expect((await open()).isTrusted()).toBe(true);
    await happen();
    clockMs -= 2 * day;
    expect((await open()).state()).toBe("behind-not-confirmed");
  });

  it("is no matter any more once it was set right", async () => {
    await happen();
    clockMs -= day;
    expect((await open()).isTrusted()).toBe(false);
    clockMs += day;
    expect((await open()).isTrusted()).toBe(true);
  });

  it("that is ahead waits for staff too, unless it was moved on purpose", async () => {
    await happen();
    pass(31 * day);
    expect((await open(true)).isTrusted()).toBe(true);
    const watch = await open();
    expect(watch.state()).toBe("ahead-not-confirmed");
    await watch.accept(staff);
    expect((await open()).isTrusted()).toBe(true);
  });

  it("behind is not confirmed by having been moved", async () => {
    await happen();
    clockMs -= day;
    expect((await open(true)).state()).toBe("behind-not-confirmed");
  });
});

describe("a clock that leaves the monotonic one", () => {
  it.each([
    ["ahead", 6 * minute],
    ["behind", -6 * minute],
  ])("%s is not trusted from that moment on, until staff confirm it", async (direction, jumpMs) => {
    const watch = await open();
    pass(day);
    clockMs += jumpMs;
    expect([watch.isTrusted(), watch.state()]).toEqual([false, `${direction}-not-confirmed`]);
    await watch.look();
    expect(await jumps()).toMatchObject([{ type: "ClockJumpNoticed.v2" }]);
    expect(await watch.accept(staff)).toMatchObject([{ direction }]);
    pass(day);
    expect(watch.isTrusted()).toBe(true);
    clockMs += jumpMs;
    expect(watch.isTrusted()).toBe(false);
  });

  it("by minutes is set, not jumped", async () => {
    const watch = await open();
    pass(day);
    clockMs += 5 * minute;
    expect(watch.isTrusted()).toBe(true);
    clockMs -= 10 * minute;
    expect(watch.isTrusted()).toBe(true);
  });

  it("is confirmed at once by one confirmation, even before the report", async () => {
    const watch = await open();
    clockMs += day;
    expect(await watch.accept(staff)).toMatchObject([{ direction: "ahead" }]);
    expect(watch.isTrusted()).toBe(true);
  });
});

describe("a clock beside that of a database", () => {
  it("is trusted while they differ by five minutes at most", async () => {
    for (aheadMs of [0, 5 * minute, -5 * minute]) expect((await open()).state()).toBe("trusted");
    expect(await jumps()).toEqual([]);
  });

  it.each([
    ["ahead", 60 * minute],
    ["behind", -6 * minute],
  ])(
    "that is %s of it is not trusted until staff confirm it, over restarts, and is reported once",
    async (direction, difference) => {
      aheadMs = difference;
      for (let restart = 0; restart < 3; restart += 1) {
        expect((await open()).state()).toBe(`${direction}-not-confirmed`);
        pass(day);
      }
      const watch = await open();
      expect(await watch.accept(staff)).toMatchObject([{ direction }]);
      expect(watch.state()).toBe("trusted");
      expect((await open()).state()).toBe("trusted");
      expect((await jumps()).map(({ type }) => type)).toEqual([
        "ClockJumpNoticed.v2",
        "ClockAccepted.v1",
        "ClockDifferenceKept.v1",
      ]);
    },
  );

  it("is trusted with a difference that was confirmed, and with no other", async () => {
    aheadMs = 60 * minute;
    const watch = await open();
    await watch.accept(staff);
    aheadMs += 5 * minute;
    expect(watch.isTrusted()).toBe(true);
    aheadMs += 1;
    expect([watch.isTrusted(), (await open()).isTrusted()]).toEqual([false, false]);
  });

  it("is noticed at run time, and confirmed by one confirmation although it has left the monotonic clock too", async () => {
    aheadMs = 0;
    const watch = await open();
    clockMs += day;
    aheadMs += day;
    expect(watch.state()).toBe("ahead-not-confirmed");
    expect(await watch.accept(staff)).toHaveLength(1);
    expect(watch.state()).toBe("trusted");
  });

  it("does not affect processes that agree with the database, however late they start", async () => {
    aheadMs = 60 * minute;
    await open();
    aheadMs = 0;
    pass(2 * 60 * minute);
    expect((await open()).state()).toBe("trusted");
  });

  it("that was set right before it was confirmed is noticed when it differs again", async () => {
    aheadMs = 60 * minute;
    const watch = await open();
    clockMs -= 60 * minute;
    aheadMs = 0;
    expect(watch.isTrusted()).toBe(false);
    await watch.accept(staff);
    expect(watch.isTrusted()).toBe(true);
    aheadMs = 60 * minute;
    expect((await open()).state()).toBe("ahead-not-confirmed");
  });

  it("that staff have confirmed to differ is right for events of the database's time", async () => {
    await happen();
    clockMs -= 60 * minute;
    aheadMs = -60 * minute;
    await (await open()).accept(staff);
    expect((await open()).state()).toBe("trusted");
  });
});

it("every process over the store applies a confirmation", async () => {
  await happen();
  clockMs -= day;
  const [one, other] = [await open(), await open()];
  expect([one.isTrusted(), other.isTrusted()]).toEqual([false, false]);
  await one.accept(staff);
  expect(other.isTrusted()).toBe(false);
  await other.look();
  expect(other.isTrusted()).toBe(true);
});
