import { expect, it } from "vitest";

import type { RecordedEvent } from "../event-store.port.ts";
import { RecentEvents } from "./recent-events.ts";

function eventAt(position: number, data = "{}"): RecordedEvent {
  const place = {
    stream: "a-1",
    revision: 0n,
    position: BigInt(position),
    time: "2026-01-02T03:04:05.000006Z",
  };
  return { ...place, id: "", type: "T.v1", data, metadata: "{}" };
}

function filled(after: number, count: number, data?: string): RecentEvents {
  const recent = new RecentEvents(after);
  for (let position = after + 1; position <= after + count; position += 1)
    recent.push(eventAt(position, data));
  return recent;
}

function positions(events: readonly RecordedEvent[] | undefined): readonly number[] | undefined {
  return events?.map(({ position }) => Number(position));
}

it("returns events after a position, and nothing if it no longer has all of them", () => {
  const recent = filled(5, 4);
  expect(recent.last).toBe(9);
  expect(positions(recent.after(5, 100))).toEqual([6, 7, 8, 9]);
  expect(positions(recent.after(7, 1))).toEqual([8]);
  expect(positions(recent.after(9, 100))).toEqual([]);
  expect(recent.after(4, 100)).toBeUndefined();
});

it("holds the last 8,192 events", () => {
  const recent = filled(0, 20_000);
  expect(recent.after(20_000 - 8_193, 1)).toBeUndefined();
  expect(positions(recent.after(20_000 - 8_192, 2))).toEqual([11_809, 11_810]);
  expect(recent.after(20_000 - 8_192, 10_000)).toHaveLength(8_192);
});

it("holds at most 16 MiB of text, also when one event is larger than all before", () => {
  const recent = filled(0, 40, "x".repeat(1_048_574));
  expect(recent.after(23, 1)).toBeUndefined();
  expect(positions(recent.after(24, 100))).toHaveLength(16);
  recent.push(eventAt(41, "x".repeat(17 * 1_048_576)));
  expect(recent.after(40, 1)).toBeUndefined();
  expect(positions(recent.after(41, 1))).toEqual([]);
  recent.push(eventAt(42));
  expect(positions(recent.after(41, 1))).toEqual([42]);
});
