import { expect, test } from "vitest";

import type { RecordedEvent } from "../event-store.port.ts";
import { StreamEnds } from "./embedded-event-store.adapter.ts";

function event(stream: string, revision: number, data = "{}"): RecordedEvent {
  const id = "00000000-0000-4000-8000-000000000000";
  return {
    stream,
    id,
    type: "Noted.v1",
    data,
    metadata: "{}",
    time: "2026-01-01T00:00:00.000000Z",
    revision: BigInt(revision),
    position: BigInt(revision) + 1n,
  };
}

test("the end of a stream is its last event, despite later reports of earlier ones", () => {
  const ends = new StreamEnds();
  expect(ends.of("a-1")).toBeUndefined();
  ends.note([event("a-1", 0), event("a-2", 0), event("a-1", 1)]);
  expect(ends.of("a-1")).toMatchObject({ revision: 1n });
  ends.note([event("a-1", 3)]);
  ends.note([event("a-1", 2)]);
  expect(ends.of("a-1")).toMatchObject({ revision: 3n });
  expect(ends.of("a-2")).toMatchObject({ revision: 0n });
});

test("a large event is not cached, and leaves no earlier one in its place", () => {
  const ends = new StreamEnds();
  ends.note([event("a-1", 0), event("a-1", 1, "x".repeat(5_000))]);
  expect(ends.of("a-1")).toBeUndefined();
});

test("unused streams are evicted", () => {
  const ends = new StreamEnds();
  ends.note(Array.from({ length: 10_001 }, (_, index) => event(`a-${String(index)}`, 0)));
  expect(ends.of("a-0")).toBeUndefined();
  expect(ends.of("a-10000")).toMatchObject({ revision: 0n });
});

test("a stream that has no event has none until the first is stored", () => {
  const ends = new StreamEnds();
  ends.noteMissing("a-1");
  expect(ends.of("a-1")).toBe("no-stream");
  ends.note([event("a-1", 0)]);
  expect(ends.of("a-1")).toMatchObject({ revision: 0n });
});

test("streams of a name that none begins with have no event until the first is stored", () => {
  const ends = new StreamEnds();
  ends.noteUnused("$$");
  expect(ends.of("$$a-1")).toBe("no-stream");
  expect(ends.of("a-1")).toBeUndefined();
  ends.note([event("$$a-1", 0)]);
  expect(ends.of("$$a-1")).toMatchObject({ revision: 0n });
  expect(ends.of("$$a-2")).toBeUndefined();
});
