import { describe, expect, it } from "vitest";

import { parseTraceparent, randomIds, seededIds } from "./ids.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

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

  it("makes secrets of the length asked for", () => {
    expect(Buffer.from(ids.secret(32), "base64url")).toHaveLength(32);
    expect(ids.secret(32)).not.toBe(ids.secret(32));
  });
});

describe("seededIds", () => {
  it("gives the same ids for the same seed", () => {
    const draw = (seed: string): string[] => {
      const ids = seededIds(seed);
      return [ids.requestId(), ids.uuid(), ids.secret(8)];
    };
    expect(draw("a")).toEqual(draw("a"));
    expect(draw("a")).not.toEqual(draw("b"));
  });
});

describe("parseTraceparent", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const parentId = "00f067aa0ba902b7";

  it.each([
    `00-${traceId}-${parentId}-01`,
    `cc-${traceId}-${parentId}-01`,
    `cc-${traceId}-${parentId}-01-what-comes`,
  ])("reads %s", (header) => {
    expect(parseTraceparent(header)).toBe(traceId);
  });

  it.each([
    undefined,
    "",
    traceId,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `cc-${traceId}-${parentId}-01.more`,
    `ff-${traceId}-${parentId}-01`,
    `00-${"0".repeat(32)}-${parentId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId}-${parentId}`,
  ])("does not take %s", (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
