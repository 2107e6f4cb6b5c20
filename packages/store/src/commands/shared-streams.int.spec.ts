import { join } from "node:path";
import { yieldToOthers } from "@hostledger/runtime/async";
import { directoryOfTest, virtualClock } from "@hostledger/runtime/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { collect } from "../contract/contract-fixtures.ts";
import { openTestStore } from "../embedded/test-store.fixture.ts";
import type { EventStore, ReadOptions } from "../event-store.port.ts";
import { createCommandHandler, type CommandHandlerOptions } from "./command-handler.ts";
import type { CommandHandler, Executed } from "./command-handler.port.ts";
import {
  add,
  counter,
  ownEvent,
  send,
  storedAmounts,
  type CounterCommand,
  type CounterEvent,
  type CounterState,
} from "./counter.fixture.ts";
import { after, FaultyStore } from "./faulty-store.fixture.ts";
import { lastingRefusal } from "./recent-state.ts";

let folder = "";
let below: EventStore;
let store: FaultyStore;
beforeEach(async () => {
  folder = directoryOfTest();
  below = await openTestStore(join(folder, "events.sqlite"), { shared: true });
  store = new FaultyStore(below);
});
afterEach(() => store.close());

/** Makes a handler with its own cache, as in one of several processes. */
function makeHandler(options: Partial<CommandHandlerOptions> = {}): CommandHandler {
  return createCommandHandler({ store, recordedBy: "hostledger-test/1", ...options });
}

const take = (by: number): CounterCommand => ({ type: "Take", by });

/** Records the revisions from which the store is read, and runs actions before and after each read. */
function watchReads(around: { before?: () => Promise<unknown>; after?: () => Promise<unknown> } = {}) {
  const froms: (bigint | undefined)[] = [];
  store.read = async function* (stream: string, options?: ReadOptions) {
    froms.push(options?.from);
    await around.before?.();
    const events = await collect(below.read(stream, options));
    await around.after?.();
    yield* events;
  };
  return froms;
}

describe("a stream that others write too", () => {
  it("is charged through one handler with the credit of another", async () => {
    const [crediting, charging] = [makeHandler(), makeHandler()];
    expect(await send(charging, take(5))).toMatchObject({ accepted: false });
    await send(crediting, add(5));
    expect(await send(charging, take(5))).toMatchObject({ accepted: true, state: { total: 0 } });
    expect(charging.statistics()).toMatchObject({ conflicts: 0 });
  });

  it("never returns a refusal that was decided on an earlier state", async () => {
    const [one, other] = [makeHandler(), makeHandler()];
    for (let round = 1; round <= 20; round += 1) {
      await send(one, add(1));
      expect(await send(other, take(1))).toMatchObject({ accepted: true, state: { total: 0 } });
      expect(await send(one, take(1))).toMatchObject({ accepted: false, state: { total: 0 } });
    }
  });

  it("never confirms what another handler has undone", async () => {
    const [one, other] = [makeHandler(), makeHandler()];
    await send(one, { type: "Reach", total: 3 });
    await send(other, take(3));
    expect(await send(one, { type: "Reach", total: 3 })).toMatchObject({
      accepted: true,
      events: [expect.objectContaining({ data: { by: 3 } })],
    });
  });

  it("reads nothing for a command whose append proves its state, also for refusals beside it", async () => {
    const handler = makeHandler();
    await send(handler, add(5));
    const froms = watchReads();
    const outcomes = await Promise.all([send(handler, take(9)), send(handler, take(5))]);
    expect(outcomes).toMatchObject([{ accepted: false }, { accepted: true }]);
    expect(froms).toEqual([]);
  });

  it("reads the tail once for all commands that are refused together", async () => {
    const handler = makeHandler();
    await send(handler, add(5));
    const froms = watchReads();
    await Promise.all(Array.from({ length: 30 }, () => send(handler, take(9))));
    expect(froms).toEqual([1n]);
  });

  it("answers a command that came while the tail was read only from the next read", async () => {
    const [handler, other] = [makeHandler(), makeHandler()];
    await send(handler, add(1));
    const late: Promise<Executed<CounterState, CounterEvent>>[] = [];
    watchReads({
      // After the read, another handler writes, and its caller sends a command here.
      after: async () => {
        if (late.length > 0) return;
        late.push(send(other, add(5)));
        await late[0];
        late.push(send(handler, take(6)));
      },
    });
    expect(await send(handler, take(6))).toMatchObject({ accepted: false, state: { total: 1 } });
    expect(await late[1]).toMatchObject({ accepted: true, state: { total: 0 } });
  });
});

describe("loading a shared stream", () => {
  it("shows events of others", async () => {
    const [reading, writing] = [makeHandler(), makeHandler()];
    for (let total = 1; total <= 5; total += 1) {
      await send(writing, add(1));
      expect(await reading.load(counter, "1")).toMatchObject({ state: { total } });
    }
  });

  it("reads once for concurrent callers, and again for later ones", async () => {
    const [reading, writing] = [makeHandler(), makeHandler()];
    await send(writing, add(1));
    const late: Promise<unknown>[] = [];
    const froms = watchReads({
      after: async () => {
        if (late.length > 0) return;
        late.push(Promise.resolve());
        await below.append("counter-1", 0n, [ownEvent("Added.v1", '{"by":10}')]);
        late.push(reading.load(counter, "1"), reading.load(counter, "1"));
      },
    });
    const early = await Promise.all([reading.load(counter, "1"), reading.load(counter, "1")]);
    expect(early).toMatchObject([{ state: { total: 1 } }, { state: { total: 1 } }]);
    expect(await Promise.all(late.slice(1))).toMatchObject([
      { state: { total: 11 } },
      { state: { total: 11 } },
    ]);
    expect(froms).toEqual([0n, 1n]);
  });

  describe("where a recent state will do", () => {
    const aDayMs = 86_400_000;

    it("costs no read after another read, or after an append of the same process", async () => {
      const [one, other] = [makeHandler(), makeHandler()];
      await send(one, add(1));
      const { reads } = store;
      expect(await one.load(counter, "1", aDayMs)).toMatchObject({ state: { total: 1 } });
      expect(store.reads).toBe(reads);
      expect(await other.load(counter, "1", aDayMs)).toMatchObject({ state: { total: 1 } });
      await send(one, add(1));
      expect(await other.load(counter, "1", aDayMs)).toMatchObject({ state: { total: 1 } });
      expect(store.reads).toBe(reads + 1);
      expect(await other.load(counter, "1")).toMatchObject({ state: { total: 2 } });
    });

    it("never shows an unproven append", async () => {
      const [one, other] = [makeHandler(), makeHandler()];
      await one.load(counter, "1", aDayMs);
      await send(other, add(5));
      // Decided on the old state, refused by the store, and decided again.
      expect(await send(one, add(1))).toMatchObject({ accepted: true, state: { total: 6 } });
      expect(await one.load(counter, "1", aDayMs)).toMatchObject({ state: { total: 6 } });
    });

    it("is refused nothing that another process has made possible meanwhile", async () => {
      const [one, other] = [makeHandler(), makeHandler()];
      const tooLittle = () =>
        lastingRefusal(
          (maxAgeMs) => one.load(counter, "1", maxAgeMs),
          ({ total }) => (total < 5 ? `only ${String(total)}` : undefined),
        );
      expect(await tooLittle()).toBe("only 0");
      await send(other, add(4));
      expect(await tooLittle()).toBe("only 4");
      await send(other, add(4));
      expect(await tooLittle()).toBeUndefined();
      const { reads } = store;
      expect(await tooLittle()).toBeUndefined();
      expect(store.reads).toBe(reads);
    });
  });

  it("costs an exclusive store no read", async () => {
    const exclusive = new FaultyStore(below, { shared: false });
    const handler = makeHandler({ store: exclusive });
    await send(handler, add(1));
    const { reads } = exclusive;
    await handler.load(counter, "1");
    await send(handler, take(9));
    expect(exclusive.reads).toBe(reads);
  });

  it("loses nothing that an append has added meanwhile", async () => {
    const handler = makeHandler();
    await send(handler, add(1));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    watchReads({ after: () => held });
    const loading = handler.load(counter, "1");
    await yieldToOthers();
    await send(handler, add(10));
    release();
    expect((await loading).state.total).toBeGreaterThanOrEqual(1);
    expect(await send(handler, add(100))).toMatchObject({ state: { total: 111 }, revision: 2n });
    expect(handler.statistics()).toMatchObject({ conflicts: 0 });
  });
});

describe("two handlers hammering one stream", () => {
  it("has one winner of every conflict, and neither retries endlessly, loses, doubles nor gives up", async () => {
    const handlers = [makeHandler(), makeHandler()];
    const outcomes = await Promise.all(handlers.map((handler) => hammer(handler, 64, 20)));
    expect(outcomes.flat().filter(({ accepted }) => !accepted)).toEqual([]);
    expect(await storedAmounts(store)).toHaveLength(2 * 64 * 20);
    const [one, other] = handlers.map((handler) => handler.statistics());
    const appends = (one?.appends ?? 0) + (other?.appends ?? 0);
    const conflicts = (one?.conflicts ?? 0) + (other?.conflicts ?? 0);
    // Each conflict was caused by an append of the only other writer.
    expect(conflicts).toBeLessThanOrEqual(appends);
  });

  it("gives a reader its turn too when each append takes a while", async () => {
    // A virtual clock that advances with the store's thread, so the machine's speed does not matter.
    const clock = virtualClock();
    const { append, read } = below;
    below.append = (...asked) => clock.busyWhile(append.apply(below, asked));
    store.read = async function* (...asked) {
      await clock.sleep(1);
      yield* await clock.busyWhile(collect(read.apply(below, asked)));
    };
    const slow = after(() => clock.sleep(2));
    store.plan(...Array.from({ length: 20_000 }, () => slow));
    const [busy, modest] = [makeHandler({ timing: clock }), makeHandler({ timing: clock })];
    let isOver = false;
    const hammering = Promise.all(
      Array.from({ length: 64 }, async () => {
        while (!isOver) await send(busy, add(1));
      }),
    );
    const outcomes = [];
    for (let round = 0; round < 20; round += 1) outcomes.push(await send(modest, add(1_000)));
    isOver = true;
    await hammering;
    expect(outcomes.filter(({ accepted }) => !accepted)).toEqual([]);
    expect((await storedAmounts(store)).filter((by) => by === 1_000)).toHaveLength(20);
  });

  it("grants exactly the available amount to all callers", async () => {
    const handlers = [makeHandler(), makeHandler()];
    await send(handlers[0] ?? makeHandler(), add(100));
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, (_, index) => send(handlers[index % 2] ?? makeHandler(), take(1))),
    );
    expect(outcomes.filter(({ accepted }) => accepted)).toHaveLength(100);
    const refusals = outcomes.flatMap((outcome) => (outcome.accepted ? [] : [outcome.rejection.code]));
    expect(new Set(refusals)).toEqual(new Set(["insufficient-balance"]));
    expect(await storedAmounts(store)).toEqual([100, ...new Array<number>(100).fill(-1)]);
  });
});

/** Runs callers that each send the next command after the answer to the last. */
async function hammer(handler: CommandHandler, callers: number, commands: number) {
  const outcomes: Executed<CounterState, CounterEvent>[] = [];
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let index = 0; index < commands; index += 1) outcomes.push(await send(handler, add(1)));
    }),
  );
  return outcomes;
}
