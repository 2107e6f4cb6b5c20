import { describe, expect, it } from "vitest";

import {
  appendLimits,
  InvalidAppendError,
  WrongExpectedRevisionError,
  type EventToAppend,
  type ExpectedRevision,
} from "../event-store.port.ts";
import { collect, newCategory, newEvent, newEvents, type OpenHarness } from "./contract-fixtures.ts";

export function describeAppending(open: OpenHarness): void {
  describe("appending", () => {
    it("numbers a stream from 0 and answers with the last event's revision and position", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const first = await store.append(stream, "no-stream", newEvents(3));
      const second = await store.append(stream, 2n, newEvents(1));
      const stored = await collect(store.read(stream));
      expect(first).toEqual({ revision: 2n, position: stored[2]?.position });
      expect(second).toEqual({ revision: 3n, position: stored[3]?.position });
    });

    it("returns ascending positions over all streams", async () => {
      const { store } = await open();
      const category = newCategory();
      const one = await store.append(`${category}-1`, "no-stream", newEvents(2));
      const two = await store.append(`${category}-2`, "no-stream", newEvents(2));
      const three = await store.append(`${category}-1`, 1n, newEvents(1));
      expect(two.position > one.position && three.position > two.position).toBe(true);
      expect(await store.lastPosition()).toBeGreaterThanOrEqual(three.position);
    });

    it("returns the time of the last event of all streams", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      await store.append(stream, "no-stream", newEvents(2));
      const [, last] = await collect(store.read(stream));
      const lastTime = (await store.lastTime?.()) ?? "";
      expect(lastTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(lastTime >= (last?.time ?? "")).toBe(true);
    });

    const wrong: readonly [string, ExpectedRevision, bigint | "no-stream"][] = [
      ["no-stream on a stream of two", "no-stream", 1n],
      ["an earlier revision", 0n, 1n],
      ["a later revision", 2n, 1n],
      ["a revision beyond every stream", 2n ** 60n, 1n],
    ];
    it.each(wrong)("refuses %s and stores nothing", async (_, expected, actual) => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      await store.append(stream, "no-stream", newEvents(2));
      const refusal = store.append(stream, expected, newEvents(2));
      await expect(refusal).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      await expect(refusal).rejects.toMatchObject({ stream, expected, actual });
      expect(await collect(store.read(stream))).toHaveLength(2);
    });

    it.each<ExpectedRevision>([0n, "stream-exists"])("refuses %s on a missing stream", async (expected) => {
      const { store } = await open();
      const refusal = store.append(`${newCategory()}-1`, expected, newEvents(1));
      await expect(refusal).rejects.toMatchObject({
        name: "WrongExpectedRevisionError",
        actual: "no-stream",
      });
    });

    it('accepts "any" on a missing and on an existing stream, "stream-exists" on an existing one', async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      expect(await store.append(stream, "any", newEvents(1))).toMatchObject({ revision: 0n });
      expect(await store.append(stream, "any", newEvents(1))).toMatchObject({ revision: 1n });
      expect(await store.append(stream, "stream-exists", newEvents(1))).toMatchObject({ revision: 2n });
    });

    it("accepts exactly one of 64 concurrent appends with one expected revision", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      await store.append(stream, "no-stream", newEvents(1));
      const attempts = await Promise.allSettled(
        Array.from({ length: 64 }, () => store.append(stream, 0n, newEvents(1))),
      );
      const refusals = attempts.filter((attempt) => attempt.status === "rejected");
      expect(refusals).toHaveLength(63);
      expect(refusals.every(({ reason }) => reason instanceof WrongExpectedRevisionError)).toBe(true);
      expect(await collect(store.read(stream))).toHaveLength(2);
    });

    it("limits a conflict to its own append", async () => {
      const { store } = await open();
      const category = newCategory();
      const attempts = await Promise.allSettled(
        Array.from({ length: 64 }, (_, index) =>
          store.append(`${category}-${String(index)}`, index % 2 === 0 ? "no-stream" : 7n, newEvents(2)),
        ),
      );
      expect(attempts.map(({ status }) => status)).toEqual(
        attempts.map((_, index) => (index % 2 === 0 ? "fulfilled" : "rejected")),
      );
    });

    it("stores 500 events in one append, all or none", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const events = newEvents(500);
      expect(await store.append(stream, "no-stream", events)).toMatchObject({ revision: 499n });
      expect((await collect(store.read(stream))).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    });

    it("preserves texts byte for byte", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-äöü€😀`;
      const event = {
        ...newEvent(),
        type: "Größe.v1",
        data: '{"b":1, "a":"\\u0000 é 😀"}',
        metadata: '{ "k" : [1,2] }',
      };
      await store.append(stream, "no-stream", [event]);
      expect(await collect(store.read(stream))).toMatchObject([{ ...event, stream }]);
    });

    describeRefusedInput(open);
  });
}

function describeRefusedInput(open: OpenHarness): void {
  const half = "x".repeat(appendLimits.bytes / 2);
  const refused: readonly [string, readonly EventToAppend[]][] = [
    ["no event", []],
    ["more events than the limit", newEvents(appendLimits.events + 1)],
    [
      "more bytes than the limit",
      [
        { ...newEvent(), data: half },
        { ...newEvent(), data: half },
      ],
    ],
    ["an id that is no UUID", [{ ...newEvent(), id: "7" }]],
    ["the nil UUID", [{ ...newEvent(), id: "00000000-0000-0000-0000-000000000000" }]],
    ["an empty type", [{ ...newEvent(), type: "" }]],
    ["a lone surrogate in the data", [{ ...newEvent(), data: '"\ud800"' }]],
    ["a lone surrogate in the metadata", [{ ...newEvent(), metadata: '"\udfff"' }]],
    ["a good event beside a bad one", [newEvent(), { ...newEvent(), type: "" }]],
  ];
  it.each(refused)("refuses %s and continues to work", async (_, events) => {
    const { store } = await open();
    const stream = `${newCategory()}-1`;
    await expect(store.append(stream, "no-stream", events)).rejects.toBeInstanceOf(InvalidAppendError);
    expect(await store.append(stream, "no-stream", newEvents(1))).toMatchObject({ revision: 0n });
  });

  it.each(["", "x".repeat(appendLimits.streamName + 1), "a-\ud800", "a-\0"])(
    "refuses a stream name that breaks a rule (%#)",
    async (stream) => {
      const { store } = await open();
      await expect(store.append(stream, "any", newEvents(1))).rejects.toBeInstanceOf(InvalidAppendError);
    },
  );

  it("refuses a negative revision and does not affect other appends", async () => {
    const { store } = await open();
    const category = newCategory();
    const neighbour = store.append(`${category}-1`, "no-stream", newEvents(1));
    await expect(store.append(`${category}-2`, -1n, newEvents(1))).rejects.toBeInstanceOf(InvalidAppendError);
    expect(await neighbour).toMatchObject({ revision: 0n });
  });

  it("stores an append of exactly the largest size", async () => {
    const { store, largestAppendBytes = appendLimits.bytes } = await open();
    const event = { ...newEvent(), data: `"${"x".repeat(largestAppendBytes - 4)}"`, metadata: "{}" };
    const stream = `${newCategory()}-1`;
    expect(await store.append(stream, "no-stream", [event])).toMatchObject({ revision: 0n });
    expect((await collect(store.read(stream)))[0]?.data).toBe(event.data);
  });
}
