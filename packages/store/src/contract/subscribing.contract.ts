import { yieldToOthers } from "@hostledger/runtime/async";
import { describe, expect, it } from "vitest";

import type { EventBatch, EventStore } from "../event-store.port.ts";
import { isCaughtUp, listen, newCategory, newEvents, type OpenHarness } from "./contract-fixtures.ts";

/** Fills two streams of a category and one stream of another. */
async function fill(store: EventStore, category: string, other: string): Promise<void> {
  await store.append(`${category}-1`, "no-stream", newEvents(3));
  await store.append(`${other}-1`, "no-stream", newEvents(2));
  await store.append(`${category}-2`, "no-stream", newEvents(2));
}

function places(
  events: readonly { stream: string; revision: bigint }[],
  category: string,
): readonly string[] {
  return events.map(({ stream, revision }) => `${stream.slice(category.length + 1)}@${String(revision)}`);
}

/** Resolves with the batch in which the iterator reaches the end of the log. */
async function untilCaughtUp(iterator: AsyncIterator<EventBatch>): Promise<EventBatch | undefined> {
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return undefined;
    if (next.value.caughtUp) return next.value;
  }
}

/** Resolves with the next batch with events, and skips batches that only report a position. */
async function untilEvents(iterator: AsyncIterator<EventBatch>): Promise<EventBatch | undefined> {
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return undefined;
    if (next.value.events.length > 0) return next.value;
  }
}

export function describeSubscribing(open: OpenHarness): void {
  describe("subscribing", () => {
    it("receives events from the start, in log order, and reports that it has caught up", async () => {
      const { store } = await open();
      const category = newCategory();
      await fill(store, category, newCategory());
      const heard = await listen(
        store.subscribe({ from: "start", streamPrefixes: [`${category}-`] }),
        isCaughtUp,
      );
      expect(places(heard.events, category)).toEqual(["1@0", "1@1", "1@2", "2@0", "2@1"]);
      const positions = heard.events.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => (a < b ? -1 : 1)));
      expect(heard.batches.at(-1)?.position).toBeGreaterThanOrEqual(positions.at(-1) ?? 0n);
    });

    it("receives every stream without a filter, the same events as reads return", async () => {
      const { store } = await open();
      const [category, other] = [newCategory(), newCategory()];
      const before = (await store.lastPosition()) ?? "start";
      await fill(store, category, other);
      const { events } = await listen(store.subscribe({ from: before }), isCaughtUp);
      expect(events.map(({ stream }) => stream.replace(category, "a").replace(other, "b"))).toEqual([
        "a-1",
        "a-1",
        "a-1",
        "b-1",
        "b-1",
        "a-2",
        "a-2",
      ]);
      const read = [];
      for await (const event of store.read(`${other}-1`)) read.push(event);
      expect(events.slice(3, 5)).toEqual(read);
    });

    it("accepts several prefixes, and receives nothing with none", async () => {
      const { store } = await open();
      const [category, other] = [newCategory(), newCategory()];
      await fill(store, category, other);
      const streamPrefixes = [`${category}-2`, `${other}-`];
      const some = await listen(store.subscribe({ from: "start", streamPrefixes }), isCaughtUp);
      expect(some.events).toHaveLength(4);
      const none = await listen(store.subscribe({ from: "start", streamPrefixes: [] }), isCaughtUp);
      expect(none.events).toEqual([]);
    });

    it("continues after a position, exclusively", async () => {
      const { store } = await open();
      const category = newCategory();
      const filter = { streamPrefixes: [`${category}-`] };
      await fill(store, category, newCategory());
      const all = await listen(store.subscribe({ from: "start", ...filter }), isCaughtUp);
      for (const [index, { position }] of all.events.entries()) {
        const rest = await listen(store.subscribe({ from: position, ...filter }), isCaughtUp);
        expect(rest.events).toEqual(all.events.slice(index + 1));
      }
    });

    it("resumes from a batch's position without a gap or a repeat", async () => {
      const { store } = await open();
      const category = newCategory();
      const filter = { streamPrefixes: [`${category}-`] };
      await fill(store, category, newCategory());
      const first = await listen(store.subscribe({ from: "start", ...filter }), isCaughtUp);
      await store.append(`${category}-1`, 2n, newEvents(2));
      const from = first.batches.at(-1)?.position ?? "start";
      const second = await listen(store.subscribe({ from, ...filter }), isCaughtUp);
      expect(places(second.events, category)).toEqual(["1@3", "1@4"]);
    });

    it("receives live events after it has caught up, each once and in order, and catches up again", async () => {
      const { store } = await open();
      const category = newCategory();
      await fill(store, category, newCategory());
      const subscription = store.subscribe({ from: "start", streamPrefixes: [`${category}-`] });
      let appended: Promise<unknown> = Promise.resolve();
      const heard = await listen(subscription, ({ batches, events }) => {
        const live = batches.filter(({ caughtUp }) => caughtUp).length === 1 && events.length === 5;
        if (live) appended = appendOneByOne(store, `${category}-1`, 2n, 20);
        return events.length === 25 && batches.at(-1)?.caughtUp === true;
      });
      await appended;
      expect(places(heard.events.slice(5), category)).toEqual(
        Array.from({ length: 20 }, (_, index) => `1@${String(index + 3)}`),
      );
    });

    it("receives only later events from the end", async () => {
      const { store } = await open();
      const category = newCategory();
      await fill(store, category, newCategory());
      const iterator = store
        .subscribe({ from: "end", streamPrefixes: [`${category}-`] })
        [Symbol.asyncIterator]();
      expect(await untilCaughtUp(iterator)).toMatchObject({ events: [], caughtUp: true });
      const { position } = await store.append(`${category}-2`, 1n, newEvents(1));
      expect(await untilEvents(iterator)).toMatchObject({ events: [{ position }], position, caughtUp: true });
      await iterator.return?.();
    });

    it("returns the position of filtered events", async () => {
      const { store, tellsPositionsAtOnce = false } = await open();
      const [category, other] = [newCategory(), newCategory()];
      const iterator = store
        .subscribe({ from: "end", streamPrefixes: [`${category}-`] })
        [Symbol.asyncIterator]();
      const before = (await untilCaughtUp(iterator))?.position ?? 0n;
      const first = await store.append(`${other}-1`, "no-stream", newEvents(1));
      // A remote server reports the position only after many filtered events.
      if (!tellsPositionsAtOnce)
        for (const stream of [2, 3, 4])
          await store.append(`${other}-${String(stream)}`, "no-stream", newEvents(900));
      const reported = (await untilCaughtUp(iterator))?.position ?? 0n;
      if (tellsPositionsAtOnce) expect(reported).toBe(first.position);
      else expect(reported).toBeGreaterThan(before);
      await iterator.return?.();

      await store.append(`${category}-1`, "no-stream", newEvents(1));
      const resumed = store.subscribe({ from: reported, streamPrefixes: [`${category}-`] });
      expect(places((await listen(resumed, isCaughtUp)).events, category)).toEqual(["1@0"]);
    });

    describeEndings(open);
    describeLoad(open);
  });
}

async function appendOneByOne(store: EventStore, stream: string, last: bigint, count: number): Promise<void> {
  for (let revision = last; revision < last + BigInt(count); revision += 1n) {
    await store.append(stream, revision, newEvents(1));
  }
}

function describeEndings(open: OpenHarness): void {
  it("ends when its signal aborts, while it waits and before it starts", async () => {
    const { store } = await open();
    const controller = new AbortController();
    const iterator = store.subscribe({ from: "end", signal: controller.signal })[Symbol.asyncIterator]();
    await untilCaughtUp(iterator);
    const waiting = iterator.next();
    controller.abort();
    expect(await waiting).toMatchObject({ done: true });
    const late = await listen(store.subscribe({ from: "end", signal: controller.signal }), () => false);
    expect(late.events).toEqual([]);
  });

  it("ends when the store closes, which finishes the queue", async () => {
    const harness = await open();
    const iterator = harness.store.subscribe({ from: "end" })[Symbol.asyncIterator]();
    await untilCaughtUp(iterator);
    const waiting = listen({ [Symbol.asyncIterator]: () => iterator }, () => false);
    const queued = harness.store.append(`${newCategory()}-1`, "no-stream", newEvents(1));
    await harness.store.close();
    expect(await queued).toMatchObject({ revision: 0n });
    await waiting;
  });
}

function describeLoad(open: OpenHarness): void {
  it("sends many subscribers, fast and slow, the whole log while it grows", async () => {
    const { store } = await open();
    const category = newCategory();
    const filter = { streamPrefixes: [`${category}-`] };
    const total = 4_000;
    const everything = Array.from({ length: 6 }, async (_, speed) => {
      const events: string[] = [];
      for await (const batch of store.subscribe({ from: "start", ...filter })) {
        events.push(...batch.events.map(({ id }) => id));
        if (events.length >= total) break;
        for (let pause = 0; pause < speed; pause += 1) await yieldToOthers();
      }
      return events;
    });
    const written: string[] = [];
    for (let stream = 0; stream < 8; stream += 1) {
      const events = newEvents(total / 8);
      await store.append(`${category}-${String(stream)}`, "no-stream", events);
      written.push(...events.map(({ id }) => id));
    }
    for (const heard of await Promise.all(everything)) expect(heard).toEqual(written);
  });

  it("does not delay writers for a subscriber that does not read", async () => {
    const { store } = await open();
    const category = newCategory();
    const iterator = store
      .subscribe({ from: "end", streamPrefixes: [`${category}-`] })
      [Symbol.asyncIterator]();
    await untilCaughtUp(iterator);
    await store.append(`${category}-1`, "no-stream", newEvents(900));
    for (let count = 1; count < 12; count += 1) {
      await store.append(`${category}-1`, BigInt(900 * count - 1), newEvents(900));
    }
    const heard = await listen(
      { [Symbol.asyncIterator]: () => iterator },
      ({ events }) => events.length >= 10_800,
    );
    expect(heard.events.map(({ revision }) => Number(revision))).toEqual(
      Array.from({ length: 10_800 }, (_, n) => n),
    );
  });
}
