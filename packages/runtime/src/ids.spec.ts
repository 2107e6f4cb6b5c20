import { describe, expect, it } from "vitest";

import { randomIds } from "./ids.ts";
import { seededIds } from "./testing/seeded-ids.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each([
  ["randomIds", randomIds],
  ["seededIds", seededIds("a seed")],
])("%s", (_, ids) => {
  it("makes request ids that are W3C trace ids", () => {
    expect(ids.requestId()).toMatch(/^[0-9a-f]{32}$/);
    expect(ids.requestId()).not.toBe(ids.requestId());
  });

  it("makes UUIDs", () => {
    expect(ids.uuid()).toMatch(uuid);
    expect(ids.uuid()).not.toBe(ids.uuid());
  });

  it("makes secrets of the requested length", () => {
    expect(Buffer.from(ids.secret(32), "base64url")).toHaveLength(32);
    expect(ids.secret(32)).not.toBe(ids.secret(32));
  });
});

it("makes consecutive UUIDs that are adjacent in an index: they begin with the time", () => {
  const milliseconds = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16);
  const before = Date.now();
  const ids = Array.from({ length: 100 }, () => randomIds.uuid());
  const after = Date.now();
  for (const id of ids) {
    expect(milliseconds(id)).toBeGreaterThanOrEqual(before);
    expect(milliseconds(id)).toBeLessThanOrEqual(after);
  }
});

describe("seededIds", () => {
  it("returns the same ids for the same seed", () => {
    const draw = (seed: string): string[] => {
      const ids = seededIds(seed);
      return [ids.requestId(), ids.uuid(), ids.secret(8)];
    };
    expect(draw("a")).toEqual(draw("a"));
    expect(draw("a")).not.toEqual(draw("b"));
  });
});
