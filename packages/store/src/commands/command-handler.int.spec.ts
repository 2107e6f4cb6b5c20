import { join } from "node:path";
import { yieldToOthers } from "@hostledger/runtime/async";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { collect } from "../contract/contract-fixtures.ts";
import { openTestStore } from "../embedded/test-store.fixture.ts";
import {
  EventStoreFailedError,
  EventStoreOverloadedError,
  EventStoreUnavailableError,
} from "../event-store.port.ts";
import { createCommandHandler, type CommandHandlerOptions } from "./command-handler.ts";
import type { CommandHandler } from "./command-handler.port.ts";
import { add, counter, ownEvent, send, sentAs, storedAmounts } from "./counter.fixture.ts";
import { decodeEvent } from "./decode-event.ts";
import { eventId } from "./event-id.ts";
import { after, FaultyStore, refusedWith, unavailable, type Fault } from "./faulty-store.fixture.ts";

let folder = "";
let store: FaultyStore;
beforeEach(async () => {
  folder = directoryOfTest();
  store = new FaultyStore(await openTestStore(join(folder, "events.sqlite")));
});
afterEach(() => store.close());

function makeHandler(options: Partial<CommandHandlerOptions> = {}): CommandHandler {
  return createCommandHandler({ store, recordedBy: "hostledger-test/1", ...options });
}

const overloaded = { accepted: false, rejection: { code: "overloaded", detail: { retryAfterSeconds: 1 } } };

describe("executing", () => {
  it("stores a command's events and answers with state, events, revision and position", async () => {
    const handler = makeHandler();
    const outcome = await send(handler, { type: "AddEach", amounts: [3, 4] });
    const stored = await collect(store.read("counter-1"));
    expect(outcome).toMatchObject({
      accepted: true,
      state: { total: 7 },
      revision: 1n,
      position: stored[1]?.position,
    });
    expect(stored.map(({ type, data }) => [type, data])).toEqual([
      ["Added.v1", '{"by":3}'],
      ["Added.v1", '{"by":4}'],
    ]);
  });

  it("writes the context into the metadata and derives ids from the command", async () => {
    await makeHandler().execute(counter, "1", add(1), {
      ...sentAs("c-1"),
      requestId: "r-1",
      idempotencyKey: "k-1",
    });
    const [recorded] = await collect(store.read("counter-1"));
    expect(recorded && decodeEvent(counter.codec, recorded)).toMatchObject({
      event: { type: "Added", data: { by: 1 } },
      stream: "counter-1",
      revision: 0n,
      metadata: {
        commandId: "c-1",
        correlationId: "correlation-c-1",
        causationId: "c-1",
        actor: "account:1",
        requestId: "r-1",
        idempotencyKey: "k-1",
        recordedBy: "hostledger-test/1",
      },
    });
    expect(recorded?.id).toBe(eventId("counter-1", "c-1", 0, '{"by":1}'));
  });

  it("returns a refusal as a value, with the state it was decided on", async () => {
    const handler = makeHandler();
    await send(handler, add(2));
    const outcome = await send(handler, { type: "Take", by: 3 });
    expect(outcome).toMatchObject({
      accepted: false,
      rejection: { code: "insufficient-balance" },
      state: { total: 2 },
    });
  });

  it("answers a command that adds nothing with the stream's last revision and position", async () => {
    const handler = makeHandler();
    expect(await send(handler, { type: "Reach", total: 0 })).toMatchObject({
      events: [],
      revision: undefined,
      position: undefined,
    });
    await send(handler, add(2));
    const position = await store.lastPosition();
    expect(await send(handler, { type: "Reach", total: 2 })).toMatchObject({
      events: [],
      revision: 0n,
      position,
    });
    expect(handler.statistics()).toMatchObject({ appends: 1, commands: 3 });
  });

  it("decides waiting commands one after the other and stores them in one append", async () => {
    const handler = makeHandler();
    const outcomes = await Promise.all([
      send(handler, add(5)),
      send(handler, { type: "Take", by: 3 }),
      send(handler, { type: "Take", by: 3 }),
      send(handler, { type: "Reach", total: 2 }),
      send(handler, add(1)),
    ]);
    const last = (await collect(store.read("counter-1"))).at(-1)?.position;
    expect(outcomes).toMatchObject([
      { accepted: true, state: { total: 5 }, revision: 0n, position: last },
      { accepted: true, state: { total: 2 }, revision: 1n, position: last },
      { accepted: false, state: { total: 2 } },
      { accepted: true, state: { total: 2 }, events: [], revision: 1n, position: last },
      { accepted: true, state: { total: 3 }, revision: 2n, position: last },
    ]);
    expect(store.appends).toHaveLength(1);
  });

  it("grants exactly the available amount to 500 callers at once, in many appends or few", async () => {
    const handler = makeHandler();
    await send(handler, add(200));
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, () => send(handler, { type: "Take", by: 1 })),
    );
    expect(outcomes.filter(({ accepted }) => accepted)).toHaveLength(200);
    expect((await handler.load(counter, "1")).state).toEqual({ total: 0 });
    expect(await storedAmounts(store)).toEqual([200, ...new Array<number>(200).fill(-1)]);
  });

  it("splits commands that do not fit one append, by events and by bytes", async () => {
    const handler = makeHandler();
    const amounts = new Array<number>(400).fill(1);
    await Promise.all(Array.from({ length: 5 }, () => send(handler, { type: "AddEach", amounts })));
    expect(store.appends.map(({ events }) => events.length)).toEqual([800, 800, 400]);
    const note = "x".repeat(400_000);
    await Promise.all(
      Array.from({ length: 5 }, () => send(handler, { type: "AddEach", amounts: [1], note }, "2")),
    );
    expect(store.appends.slice(3).map(({ events }) => events.length)).toEqual([2, 2, 1]);
    expect((await handler.load(counter, "2")).state).toEqual({ total: 5 });
  });
});

describe("failures", () => {
  it("fails only the command whose decision is a bug or too large", async () => {
    const handler = makeHandler();
    const outcomes = await Promise.allSettled([
      send(handler, add(1)),
      send(handler, { type: "FailToDecide" }),
      send(handler, { type: "FailToEvolve" }),
      send(handler, { type: "AddEach", amounts: new Array<number>(1_001).fill(1) }),
      send(handler, { type: "AddEach", amounts: [1], note: "x".repeat(1_100_000) }),
      send(handler, add(2)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    expect(outcomes[1]).toMatchObject({ reason: { message: "a bug in decide" } });
    expect(outcomes[3]).toMatchObject({ reason: { name: "InvalidAppendError" } });
    expect(await storedAmounts(store)).toEqual([1, 2]);
  });

  it("fails the commands of a stream it cannot decode, and no others", async () => {
    const handler = makeHandler();
    await store.append("counter-bad", "no-stream", [ownEvent("Counted.v9", "{}")]);
    const [bad, good] = await Promise.allSettled([
      send(handler, add(1), "bad"),
      send(handler, add(1), "good"),
    ]);
    expect(bad).toMatchObject({ status: "rejected", reason: { name: "UnreadableEventError" } });
    expect(good.status).toBe("fulfilled");
    await expect(handler.load(counter, "bad")).rejects.toThrow("Counted.v9 is no event of a counter");
  });

  it.each([
    ["cannot be read", "Counted.v9", "{}", "Counted.v9 is no event of a counter"],
    [
      "cannot follow",
      "Added.v1",
      '{"by":"many"}',
      'corrupt stream: Added cannot follow the state "counting"',
    ],
  ])("names an event that %s, and its stream", async (_what, type, data, cause) => {
    const handler = makeHandler();
    await send(handler, add(1), "bad");
    await store.append("counter-bad", 0n, [ownEvent(type, data)]);
    const named = { message: `counter-bad@1 (${type}): ${cause}` };
    await expect(makeHandler().load(counter, "bad")).rejects.toMatchObject(named);
    await expect(send(makeHandler(), add(1), "bad")).rejects.toMatchObject(named);
  });

  it("repeats an append of unknown outcome unchanged: stored once, whether or not it had been", async () => {
    const handler = makeHandler();
    for (const stored of [true, false]) {
      store.plan(unavailable(stored), unavailable(stored));
      expect(await send(handler, add(1))).toMatchObject({ accepted: true });
    }
    expect(store.appends[1]).toEqual(store.appends[0]);
    expect(await storedAmounts(store)).toEqual([1, 1]);
    expect(await send(handler, add(1))).toMatchObject({ state: { total: 3 }, revision: 2n });
  });

  it("gives up on an absent store and then reads the state again", async () => {
    const handler = makeHandler();
    await send(handler, add(1));
    store.plan(unavailable(true), ...new Array<Fault>(5).fill(unavailable(false)));
    await expect(send(handler, add(10))).rejects.toBeInstanceOf(EventStoreUnavailableError);
    expect(await handler.load(counter, "1")).toMatchObject({ state: { total: 11 }, revision: 1n });
    expect(await send(handler, add(100))).toMatchObject({ state: { total: 111 }, revision: 2n });
  });

  it("passes a failed store on to the commands that waited for it", async () => {
    const handler = makeHandler();
    store.plan(refusedWith(new EventStoreFailedError("disk full")));
    const outcomes = await Promise.allSettled([
      send(handler, add(1)),
      send(handler, { type: "Take", by: 1 }),
    ]);
    expect(outcomes).toMatchObject([
      { reason: { name: "EventStoreFailedError" } },
      { reason: { name: "EventStoreFailedError" } },
    ]);
  });

  it("answers overloaded when the store's queue or the stream's is full", async () => {
    const handler = makeHandler({ queueLimit: 2 });
    store.plan(refusedWith(new EventStoreOverloadedError("full")));
    expect(await send(handler, add(1))).toMatchObject(overloaded);
    const outcomes = await Promise.all([send(handler, add(1)), send(handler, add(1)), send(handler, add(1))]);
    expect(outcomes).toMatchObject([{ accepted: true }, { accepted: true }, overloaded]);
    expect(await storedAmounts(store)).toEqual([1, 1]);
  });
});

describe("other writers", () => {
  it("decides again on another process's events", async () => {
    const [handler, other] = [makeHandler(), makeHandler()];
    await send(handler, add(5));
    store.plan(after(() => send(other, { type: "Take", by: 4 })));
    const outcomes = await Promise.all([send(handler, { type: "Take", by: 4 }), send(handler, add(1))]);
    expect(outcomes).toMatchObject([
      { accepted: false, state: { total: 1 } },
      { accepted: true, state: { total: 2 } },
    ]);
    expect(handler.statistics()).toMatchObject({ conflicts: 1 });
    expect(await storedAmounts(store)).toEqual([5, -4, 1]);
  });

  it("reads only the tail then", async () => {
    const [handler, other] = [makeHandler(), makeHandler()];
    await send(handler, { type: "AddEach", amounts: new Array<number>(900).fill(1) });
    await send(other, add(1));
    const froms: (bigint | undefined)[] = [];
    const read = store.read.bind(store);
    store.read = (stream, options) => {
      froms.push(options?.from);
      return read(stream, options);
    };
    expect(await send(handler, add(1))).toMatchObject({ state: { total: 902 } });
    expect(froms).toEqual([900n]);
  });

  it("answers overloaded after too many conflicts, and works afterwards", async () => {
    const [handler, other] = [makeHandler({ conflictRetries: 2 }), makeHandler()];
    const interfere = after(() => send(other, add(1)));
    // The plan's faults apply to the other writer's appends too.
    const undisturbed = after(() => Promise.resolve());
    store.plan(interfere, undisturbed, interfere, undisturbed, interfere, undisturbed);
    expect(await send(handler, add(10))).toMatchObject(overloaded);
    expect(handler.statistics()).toMatchObject({ conflicts: 3, appends: 0 });
    expect(await send(handler, add(10))).toMatchObject({ state: { total: 13 } });
  });

  it("loses and doubles nothing when two handlers write the same streams at once", async () => {
    const handlers = [makeHandler({ conflictRetries: 1_000 }), makeHandler({ conflictRetries: 1_000 })];
    const commands = Array.from({ length: 400 }, (_, index) =>
      send(handlers[index % 2] ?? makeHandler(), add(1), String(index % 4)),
    );
    const outcomes = await Promise.all(commands);
    expect(outcomes.every(({ accepted }) => accepted)).toBe(true);
    for (const id of ["0", "1", "2", "3"]) expect(await storedAmounts(store, id)).toHaveLength(100);
  });
});

describe("exposure", () => {
  it("never shows an unstored state", async () => {
    const handler = makeHandler();
    await send(handler, add(1));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    store.plan(after(() => held));
    const answered: string[] = [];
    const adding = send(handler, add(10)).then(() => answered.push("add"));
    const refusing = send(handler, { type: "Take", by: 50 }).then(() => answered.push("take"));
    while (store.appends.length < 2) await yieldToOthers();
    expect(await handler.load(counter, "1")).toMatchObject({ state: { total: 1 }, revision: 0n });
    expect(answered).toEqual([]);
    release();
    await Promise.all([adding, refusing]);
    expect(answered).toEqual(["add", "take"]);
    expect(await handler.load(counter, "1")).toMatchObject({ state: { total: 11 }, revision: 1n });
  });

  it("does not answer a refusal that depends on an append which then fails", async () => {
    const handler = makeHandler();
    store.plan(refusedWith(new EventStoreOverloadedError("full")));
    const outcomes = await Promise.all([send(handler, add(10)), send(handler, { type: "Take", by: 50 })]);
    expect(outcomes).toMatchObject([overloaded, overloaded]);
  });
});

describe("memory", () => {
  it("caches only the states of the last used streams", async () => {
    const handler = makeHandler({ cacheLimit: 2 });
    for (const id of ["1", "2", "3"]) await send(handler, add(1), id);
    expect(handler.statistics().cachedStreams).toBe(2);
    const { reads } = store;
    await send(handler, add(1), "3");
    await send(handler, add(1), "2");
    expect(store.reads).toBe(reads);
    expect(await send(handler, add(1), "1")).toMatchObject({ state: { total: 2 } });
    expect(store.reads).toBe(reads + 1);
  });

  it("counts a large state by its size, and retains the largest", async () => {
    const growing = { ...counter, category: "growing", bytesOf: ({ total }: { total: number }) => total };
    const handler = makeHandler({ cacheLimit: 10 });
    const grow = (by: number) => handler.execute(growing, "1", add(by), sentAs(`growing-${String(by)}`));
    await grow(1);
    for (const id of ["1", "2", "3", "4", "5", "6", "7", "8", "9"]) await send(handler, add(1), id);
    expect(handler.statistics().cachedStreams).toBe(10);
    await grow(3 * 2_048);
    expect(handler.statistics().cachedStreams).toBe(10 - 3);
    await grow(1_000 * 2_048);
    expect(handler.statistics().cachedStreams).toBe(1 + 5);
    const { reads } = store;
    for (const id of ["5", "6", "7", "8", "9"]) await send(handler, add(1), id);
    await grow(2);
    expect(store.reads).toBe(reads);
    for (const id of ["1", "2"]) await send(handler, add(1), id);
    expect(handler.statistics().cachedStreams).toBe(1 + 5);
  });

  it("retains every stream that has a waiting command, however many", async () => {
    const handler = makeHandler({ cacheLimit: 2 });
    const ids = Array.from({ length: 50 }, (_, id) => String(id));
    const outcomes = await Promise.all([...ids, ...ids].map((id) => send(handler, add(1), id)));
    expect(outcomes.every(({ accepted }) => accepted)).toBe(true);
    expect(handler.statistics()).toMatchObject({ conflicts: 0, cachedStreams: 2 });
  });

  it("refuses a second aggregate with a category that is in use", async () => {
    const handler = makeHandler();
    await send(handler, add(1));
    await expect(handler.load({ ...counter }, "1")).rejects.toThrow(
      "two aggregates use the category counter",
    );
  });
});
