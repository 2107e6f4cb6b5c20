import { describe, expect, it } from "vitest";

import { WrongExpectedRevisionError, type ExpectedRevision } from "../event-store.port.ts";
import { collect, newCategory, newEvent, newEvents, type OpenHarness } from "./contract-fixtures.ts";

/** Tests that a repeat is recognised by event ids alone; data is not compared. */
export function describeIdempotency(open: OpenHarness): void {
  describe("idempotency", () => {
    it("answers a repeat with the original revision and position", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const [first, second] = [newEvents(2), newEvents(3)];
      const original = [
        await store.append(stream, "no-stream", first),
        await store.append(stream, 1n, second),
      ];
      expect([
        await store.append(stream, "no-stream", first),
        await store.append(stream, 1n, second),
      ]).toEqual(original);
      expect(await collect(store.read(stream))).toHaveLength(5);
    });

    it("still does after the stream moved on and after a restart", async () => {
      const harness = await open();
      const stream = `${newCategory()}-1`;
      const events = newEvents(2);
      const original = await harness.store.append(stream, "no-stream", events);
      await harness.store.append(stream, 1n, newEvents(5));
      expect(await harness.store.append(stream, "no-stream", events)).toEqual(original);
      const store = (await harness.reopen?.()) ?? harness.store;
      expect(await store.append(stream, "no-stream", events)).toEqual(original);
      expect(await collect(store.read(stream))).toHaveLength(7);
    });

    it("does not compare data", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const event = newEvent({ as: "first" });
      const original = await store.append(stream, "no-stream", [event]);
      expect(await store.append(stream, "no-stream", [{ ...event, data: '{"as":"second"}' }])).toEqual(
        original,
      );
      expect(await collect(store.read(stream))).toMatchObject([{ data: event.data }]);
    });

    it("answers a prefix of the original with the prefix's last event", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const events = newEvents(3);
      await store.append(stream, "no-stream", events);
      const prefix = await store.append(stream, "no-stream", events.slice(0, 2));
      const stored = await collect(store.read(stream));
      expect(prefix).toEqual({ revision: 1n, position: stored[1]?.position });
      expect(stored).toHaveLength(3);
    });

    it("refuses a partial overlap", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const events = newEvents(2);
      await store.append(stream, "no-stream", events);
      const longer = store.append(stream, "no-stream", [...events, newEvent()]);
      await expect(longer).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      const other = store.append(stream, "no-stream", [...events.slice(0, 1), newEvent()]);
      await expect(other).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      expect(await collect(store.read(stream))).toHaveLength(2);
    });

    it("refuses the same ids at another revision or in another stream", async () => {
      const { store } = await open();
      const category = newCategory();
      const events = newEvents(2);
      await store.append(`${category}-1`, "no-stream", events);
      await store.append(`${category}-1`, 1n, newEvents(2));
      await store.append(`${category}-2`, "no-stream", newEvents(2));
      for (const [id, expected] of [
        ["1", 0n],
        ["1", 1n],
        ["2", "no-stream"],
        ["2", 0n],
      ] as const) {
        const repeat = store.append(`${category}-${id}`, expected, events);
        await expect(repeat).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      }
    });

    it("writes a duplicate at the present revision, and two events with one id in one append", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const event = newEvent();
      await store.append(stream, "no-stream", [event, event]);
      expect(await store.append(stream, 1n, [event])).toMatchObject({ revision: 2n });
      expect((await collect(store.read(stream))).map(({ id }) => id)).toEqual([event.id, event.id, event.id]);
    });

    it("stores an append once that is sent twice at the same time", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const events = newEvents(2);
      const answers = await Promise.all([
        store.append(stream, "no-stream", events),
        store.append(stream, "no-stream", events),
      ]);
      expect(answers[1]).toEqual(answers[0]);
      expect(await collect(store.read(stream))).toHaveLength(2);
    });

    it.each<ExpectedRevision>(["any", "stream-exists"])(
      "recalls a recent repeat with %s",
      async (expected) => {
        const { store } = await open();
        const stream = `${newCategory()}-1`;
        await store.append(stream, "no-stream", newEvents(1));
        const events = newEvents(2);
        const original = await store.append(stream, expected, events);
        await store.append(stream, "any", newEvents(1));
        expect(await store.append(stream, expected, events)).toEqual(original);
        const overlap = store.append(stream, expected, [...events, newEvent()]);
        await expect(overlap).rejects.toBeInstanceOf(WrongExpectedRevisionError);
        expect(await collect(store.read(stream))).toHaveLength(4);
      },
    );

    it("recognises with any revision an append that was stored with one", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const events = newEvents(2);
      const original = await store.append(stream, "no-stream", events);
      expect(await store.append(stream, "any", events)).toEqual(original);
    });
  });
}
